// verification.h - which scenes are confirmed to relate as they are solved (alignment). Pure.
// Two scenes are of one region when several devices say the same of how they relate: of one link,
// or of ways between them whose other links are confirmed already. A cycle that rests on one device
// at each link confirms nothing: where some evidence is wrong, it cannot be told which.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_VERIFICATION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_VERIFICATION_H

#include "actors/alignment/solver/observations.h"

// The region of each scene, named by its least scene, from the observations that are accepted. The
// list is yours.
uint32_t *verification_regions(uint32_t scene_count, const struct observations *observations);

#endif
