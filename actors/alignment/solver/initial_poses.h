// initial_poses.h - the start of the solve of a component: the best mode of each link, and poses
// along the best supported links. Pure. Wrong evidence that gets in here is hard to remove later,
// so this matters more than any robust loss.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_INITIAL_POSES_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_INITIAL_POSES_H

#include "actors/alignment/solver/cycle_votes.h"
#include "actors/alignment/solver/posegraph.h"

// Enough for the start: two devices, or one device and two cycles. One cycle may close by chance.
enum { INITIAL_POSES_SUPPORT = 3 };

// The support of a mode: 1 for the first device, 2 for each further one, 1 for each cycle. A pinned
// mode is above all others, a past one below.
int64_t initial_poses_support(const struct mode *mode);

// The best supported mode of a link.
const struct mode *initial_poses_best(const struct candidates *candidates);

// Gives poses to the scenes without `is_placed`, outwards from those with it (from the first scene
// if there is none), along the edges, supported ones first. Edge i is link i with its best mode. An
// edge that places a scene gets the weight 1.
void initial_poses_place(uint32_t scene_count, struct posegraph_edge *edges, const int64_t *support,
                         size_t edge_count, bool *is_placed, struct rigid *poses);

// Gives further edges the weight 1, the best supported first, until edges with weight connect all
// scenes. Marks these in `is_bridge`. Returns how many they are.
size_t initial_poses_connect(uint32_t scene_count, struct posegraph_edge *edges,
                             const int64_t *support, size_t edge_count, bool *is_bridge);

#endif
