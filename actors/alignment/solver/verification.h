// verification.h - which scenes are confirmed to relate as solved. Pure. Two scenes are in one
// region if several devices agree on how they relate: about one link, or about paths whose other
// links are confirmed already. A cycle with a single device at each link confirms nothing: if it
// does not close, nobody can tell which device is wrong.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_VERIFICATION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_VERIFICATION_H

#include "actors/alignment/solver/effort.h"
#include "actors/alignment/solver/observations.h"

// The region of each scene, named by its least scene, from the accepted observations. The devices
// must be of so many users; 0 = users do not count. Joins no more where the effort (NULL = without
// bounds) is over. The list is yours: free() it.
uint32_t *verification_regions(uint32_t scene_count, const struct observations *observations,
                               uint32_t confirm_users, const struct effort *effort);

#endif
