// verification.h - which scenes are confirmed to relate as they are solved (alignment). Pure.
// Two scenes are of one region when several devices say the same of how they relate: of one link,
// or of ways between them whose other links are confirmed already. A cycle that rests on one device
// at each link confirms nothing: where some evidence is wrong, it cannot be told which.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_VERIFICATION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_VERIFICATION_H

#include "actors/alignment/solver/observations.h"

// Sets of entities 0 to count - 1 that are one. Each begins alone. The list is yours.
uint32_t *groups_create(size_t count);
// The one that stands for the set of `entity`: the least of them.
uint32_t groups_find(uint32_t *self, uint32_t entity);
// Returns whether they were not one before.
bool groups_join(uint32_t *self, uint32_t a, uint32_t b);

// The region of each scene, named by its least scene, from the observations that are accepted. The
// list is yours.
uint32_t *verification_regions(uint32_t scene_count, const struct observations *pairs);

#endif
