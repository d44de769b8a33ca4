// component_solve.h - solves a component: observations, poses, regions, report. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_SOLVE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_SOLVE_H

#include "actors/alignment/solver/component.h"

// Solves `self`. It may continue from `previous` (or NULL), a solved component that has most of its
// scenes.
void component_solve(struct component *self, const struct component *previous);

#endif
