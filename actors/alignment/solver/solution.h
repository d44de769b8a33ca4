// solution.h - makes a solution; solver.h has the questions that it answers. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLUTION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLUTION_H

#include "actors/alignment/solver/component.h"

// Takes the list of solved components with a reference to each. One reference.
solution_t *solution_create(struct component ***components, size_t count, uint64_t as_of_us);

// The component of a scene, which belongs to the solution; NULL if no correction is in the scene.
const struct component *solution_component(const solution_t *self, uint64_t scene_id);

// All components, which belong to the solution.
const struct component *const *solution_components(const solution_t *self, size_t *ret_count);

#endif
