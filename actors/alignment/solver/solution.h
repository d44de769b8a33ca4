// solution.h - how a solution is made (alignment.h says what it answers). Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLUTION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_SOLUTION_H

#include "actors/alignment/solver/component.h"

// Takes the list of solved fragments and the reference to each. One reference.
solution_t *solution_create(struct fragment ***fragments, size_t count);

// The fragment of a scene; NULL where nothing is known about it. Belongs to the solution.
const struct fragment *solution_fragment(const solution_t *self, uint64_t scene_id);

#endif
