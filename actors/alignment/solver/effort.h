// effort.h - what a solve may still do, and whether anybody waits for it. Pure. Work is counted and
// not timed, so that the same corrections give the same solution on a slow machine too.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_EFFORT_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_EFFORT_H

#include <stdatomic.h>
#include <stdbool.h>

// NULL = without bounds.
struct effort {
    const atomic_bool *stop; // borrowed: another thread sets it to break off; NULL = nobody does
    double left;             // floating-point operations, roughly
};

// Counts work before or after it is done. Returns whether the solve goes on: there is effort left
// and nobody broke it off. Loops whose turns may take more than a few milliseconds together ask it.
bool effort_spend(struct effort *self, double operations);

// Whether somebody broke off the solve: whatever it has found is thrown away.
bool effort_is_stopped(const struct effort *self);

// Whether it ends early, for either reason.
bool effort_is_over(const struct effort *self);

// There is none left.
void effort_exhaust(struct effort *self);

#endif
