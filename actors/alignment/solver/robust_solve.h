// robust_solve.h - the robust solve of a component: which observations are right, and the poses
// that follow from them. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_SOLVE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_SOLVE_H

#include "actors/alignment/solver/component.h"

// Solves from nothing. Writes poses and factor, and accepts the observations that lie within the
// gate of the solution. The solution is the least squares of exactly these observations.
void robust_solve_afresh(struct component *self);

// Continues from the poses of the scenes with `is_placed`, which are those of a solution with
// almost the same observations.
void robust_solve_from(struct component *self, bool *is_placed);

#endif
