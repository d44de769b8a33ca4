// bridge_votes.h - compares the links between two parts of a graph, each well supported in itself.
// Pure. Such links have no short cycles. But the parts are rigid, so two right links agree on how
// the parts relate (pairwise consistency, Mangelson et al. 2018).
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_BRIDGE_VOTES_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_BRIDGE_VOTES_H

#include "actors/alignment/solver/observation_fusion.h"
#include "actors/alignment/solver/posegraph.h"

enum { BRIDGE_VOTES_MOST = 64 }; // of two parts that are compared with each other

// Raises the support of each edge between two parts (scenes that edges with INITIAL_POSES_SUPPORT
// connect) by 2 for each other such edge of another device that agrees with it. Edge i is link i
// with its best mode. `poses` need to be right only within each part. Returns whether any was
// raised.
bool bridge_votes_support(uint32_t scene_count, const struct posegraph_edge *edges,
                          const struct mode *const *modes, int64_t *support, size_t edge_count,
                          const struct rigid *poses);

#endif
