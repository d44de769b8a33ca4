// initial_poses.h - where the solve of a component begins: which mode of each link, and poses along
// the best supported of them (alignment). Pure. What is left of wrong evidence here is hard to get
// rid of later, so this matters more than any loss.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_INITIAL_POSES_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_INITIAL_POSES_H

#include "actors/alignment/solver/posegraph.h"
#include "actors/alignment/solver/cycle_votes.h"

// Enough to begin with: two devices, or one and two cycles. One cycle may close by chance.
enum { INITIAL_POSES_SUPPORT = 3 };

// How well a mode is supported: 1 by one device, 2 more by each other, 1 by each cycle; a mode that
// is pinned is beyond all others, one that is past below.
int64_t initial_poses_support(const struct mode *mode);

// The best supported mode of a link.
const struct mode *initial_poses_best(const struct candidates *candidates);

// Gives poses to the scenes that have none (`is_placed`), outwards from those that have, along the
// edges, supported ones first; where nothing is placed, from the first scene. Edge i is link i with
// its best mode. An edge that a scene was placed by gets the weight 1.
void initial_poses_place(uint32_t scene_count, struct posegraph_edge *edges, const int64_t *support,
                         size_t edge_count, bool *is_placed, struct rigid *poses);

// Gives more edges the weight 1, the best supported first, until those that have it connect all
// scenes. Returns how many were missing; they are marked in `is_bridge`.
size_t initial_poses_connect(uint32_t scene_count, struct posegraph_edge *edges,
                             const int64_t *support, size_t edge_count, bool *is_bridge);

#endif
