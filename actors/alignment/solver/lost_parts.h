// lost_parts.h - parts of a component of whose evidence less than half survived. Pure. Nobody knows
// which half was right, so a least squares over what is left may be worse than no solve at all.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_LOST_PARTS_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_LOST_PARTS_H

#include "actors/alignment/solver/posegraph.h"

// Marks the edges within lost parts. A part is scenes that edges with INITIAL_POSES_SUPPORT
// connect; it is lost where less than half of these edges have a weight. Returns how many edges are
// marked.
size_t lost_parts_find(uint32_t scene_count, const struct posegraph_edge *edges,
                       const int64_t *support, size_t edge_count, bool *ret_is_lost);

#endif
