// lost_parts.c - what survived of each part (lost_parts.h).
#include "actors/alignment/solver/lost_parts.h"

#include <stdlib.h>

#include "actors/alignment/solver/initial_poses.h"
#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

size_t
lost_parts_find(uint32_t scene_count, const struct posegraph_edge *edges, const int64_t *support,
                size_t edge_count, bool *ret_is_lost)
{
    uint32_t *parts = disjoint_set_create(scene_count);
    size_t *all = memory_take_zeroed(scene_count * sizeof *all + 1), marked = 0;
    size_t *left = memory_take_zeroed(scene_count * sizeof *left + 1);
    for (size_t i = 0; i < edge_count; i++)
        if (support[i] >= INITIAL_POSES_SUPPORT)
            disjoint_set_join(parts, edges[i].from, edges[i].to);
    for (size_t i = 0; i < edge_count; i++) {
        uint32_t part = disjoint_set_find(parts, edges[i].from);
        all[part] += support[i] >= INITIAL_POSES_SUPPORT;
        left[part] += support[i] >= INITIAL_POSES_SUPPORT && edges[i].weight > 0;
    }
    for (size_t i = 0; i < edge_count; i++) {
        uint32_t part = disjoint_set_find(parts, edges[i].from);
        ret_is_lost[i] =
            part == disjoint_set_find(parts, edges[i].to) && left[part] * 2 < all[part];
        marked += ret_is_lost[i];
    }
    free(parts);
    free(all);
    free(left);
    return marked;
}
