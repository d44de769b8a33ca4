// robust_solve.h - the robust solve of a component: which observations are right, and the poses
// that follow from them. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_SOLVE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_SOLVE_H

#include "actors/alignment/solver/component.h"

// Poses of scenes after the stages of an earlier solve, by their places in this component.
struct known_poses {
    struct rigid *stages[COMPONENT_ROUNDS][COMPONENT_STAGES]; // NULL = that stage has none
    bool *is_known;
    kept_factor_t *factors[COMPONENT_ROUNDS][COMPONENT_STAGES + 1]; // or NULL, as of a component
};

// A component with more corrections may be solved from known poses. So its intermediate solutions
// are exact: they do not depend on where they began. Smaller ones are always solved from nothing.
enum { ROBUST_SOLVE_KNOWN = 256 };

// Writes poses and factor, and the poses after the stages of round `round`, and accepts the
// observations that lie within the gate of the solution. The solution is the least squares of
// exactly these observations. `known` (or NULL) saves steps: each stage begins where the same one
// ended earlier. Every decision is made again, as without it, so it changes the result by nothing
// but rounding. Where the effort of the component is used up, it is given up: the solution is that
// of the best supported links that place the scenes. Where the effort is broken off, there is none.
// Returns whether at least half of the supported links of each part survived (lost_parts.h).
bool robust_solve(struct component *self, uint32_t round, const struct known_poses *known);

// Makes the factor anew, if it is that of a solution before with what has changed since.
void robust_solve_factor(struct component *self);

// From nothing, and where less than half survived: the spanning tree of the best supported links,
// which are doubtful then. For when no other noise explains the loss.
void robust_solve_by_trees(struct component *self);

#endif
