// solution.h - how a solution is made (solver.h says what it answers). Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLUTION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLUTION_H

#include "actors/alignment/solver/component.h"

// Takes the list of solved components and the reference to each. One reference.
solution_t *solution_create(struct component ***components, size_t count);

// The component of a scene; NULL where nothing is known about it. Belongs to the solution.
const struct component *solution_component(const solution_t *self, uint64_t scene_id);

#endif
