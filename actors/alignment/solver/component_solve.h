// component_solve.h - solves a component: observations, poses, regions, report. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_SOLVE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_SOLVE_H

#include "actors/alignment/solver/component.h"

// Solves `self` with its effort. It may continue from `previous` (or NULL), a solved component that
// has most of its scenes. Where the effort was broken off, nothing but component_unref may follow.
void component_solve(struct component *self, const struct component *previous);

#endif
