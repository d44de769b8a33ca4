// robust_solve.h - the robust solve of a component: which observations are right, and the poses
// that follow from these (alignment). Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_SOLVE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_SOLVE_H

#include "actors/alignment/solver/component.h"

// Solves from nothing. Leaves poses, the factor, and which observations are accepted: those within
// the gate of the solution, which is the least squares of exactly these.
void robust_solve_afresh(struct component *self);

// Solves from the poses that the scenes with `is_placed` have already: those of a solution that few
// observations were added to or taken from.
void robust_solve_from(struct component *self, bool *is_placed);

#endif
