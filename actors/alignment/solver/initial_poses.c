// initial_poses.c - the best modes, poses along them, and connection (initial_poses.h).
#include "actors/alignment/solver/initial_poses.h"

#include <stdlib.h>

#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

#define PINNED_SUPPORT ((int64_t)1 << 40)

int64_t
initial_poses_support(const struct mode *mode)
{
    int64_t support = (int64_t)mode->devices * 2 - 1 + mode->cycles;
    return mode->is_pinned ? support + PINNED_SUPPORT : mode->is_past ? -1 : support;
}

const struct mode *
initial_poses_best(const struct candidates *candidates)
{
    const struct mode *best = &candidates->modes[0];
    for (uint32_t i = 1; i < candidates->count; i++)
        if (initial_poses_support(&candidates->modes[i]) > initial_poses_support(best))
            best = &candidates->modes[i];
    return best;
}

// --- ranks ---

// Edges with more support come first, of equals the one with the lower number.
struct ranked {
    int64_t support;
    size_t edge;
};

static int
compare_ranks(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->support != right->support)
        return left->support > right->support ? -1 : 1;
    return (left->edge > right->edge) - (left->edge < right->edge);
}

// --- places ---

// Edges by scene.
struct spread {
    uint32_t *starts, *edges;
    uint32_t *queue; // scenes that are placed, in the order they were
    uint32_t first, last;
    struct ranked *ways; // a heap of edges that led out of placed scenes, the best one first
    size_t way_count;
};

static void
spread_init(struct spread *self, uint32_t scene_count, const struct posegraph_edge *edges,
            size_t edge_count)
{
    *self = (struct spread){
        .starts = memory_take_zeroed((scene_count + 2) * sizeof *self->starts),
        .edges = memory_take(edge_count * 2 * sizeof *self->edges + 1),
        .queue = memory_take(scene_count * sizeof *self->queue + 1),
        .ways = memory_take(edge_count * 2 * sizeof *self->ways + 1),
    };
    for (size_t i = 0; i < edge_count; i++) {
        self->starts[edges[i].from + 2]++;
        self->starts[edges[i].to + 2]++;
    }
    for (uint32_t scene = 0; scene < scene_count; scene++)
        self->starts[scene + 2] += self->starts[scene + 1];
    for (uint32_t i = 0; i < edge_count; i++) {
        self->edges[self->starts[edges[i].from + 1]++] = i;
        self->edges[self->starts[edges[i].to + 1]++] = i;
    }
}

static void
spread_finish(struct spread *self)
{
    free(self->starts);
    free(self->edges);
    free(self->queue);
    free(self->ways);
}

// The motion of an edge is to^-1 * from.
static void
place_by(struct spread *self, struct posegraph_edge *edge, bool *is_placed, struct rigid *poses)
{
    uint32_t scene = is_placed[edge->from] ? edge->to : edge->from;
    struct rigid back = rigid_invert(&edge->motion);
    poses[scene] = scene == edge->from ? rigid_compose(&poses[edge->to], &edge->motion)
                                       : rigid_compose(&poses[edge->from], &back);
    edge->weight = 1;
    is_placed[scene] = true;
    self->queue[self->last++] = scene;
}

static void
push_way(struct spread *self, struct ranked way)
{
    size_t at = self->way_count++;
    for (; at && compare_ranks(&way, &self->ways[(at - 1) / 2]) < 0; at = (at - 1) / 2)
        self->ways[at] = self->ways[(at - 1) / 2];
    self->ways[at] = way;
}

static struct ranked
pop_way(struct spread *self)
{
    struct ranked best = self->ways[0], moved = self->ways[--self->way_count];
    size_t at = 0;
    for (size_t child; (child = at * 2 + 1) < self->way_count; at = child) {
        if (child + 1 < self->way_count &&
            compare_ranks(&self->ways[child + 1], &self->ways[child]) < 0)
            child++;
        if (compare_ranks(&moved, &self->ways[child]) <= 0)
            break;
        self->ways[at] = self->ways[child];
    }
    self->ways[at] = moved;
    return best;
}

static bool
is_leading_out(const struct posegraph_edge *edge, const bool *is_placed)
{
    return is_placed[edge->from] != is_placed[edge->to];
}

// Places scenes along supported links, by as few links as possible from the scenes in the queue.
// Remembers the other links.
static void
place_near(struct spread *self, struct posegraph_edge *edges, const int64_t *support,
           bool *is_placed, struct rigid *poses)
{
    while (self->first < self->last) {
        uint32_t scene = self->queue[self->first++];
        for (uint32_t i = self->starts[scene]; i < self->starts[scene + 1]; i++) {
            size_t index = self->edges[i];
            if (!is_leading_out(&edges[index], is_placed))
                continue;
            if (support[index] >= INITIAL_POSES_SUPPORT)
                place_by(self, &edges[index], is_placed, poses);
            else
                push_way(self, (struct ranked){support[index], index});
        }
    }
}

// The best supported edge from a placed scene to one that is not; NULL if there is none.
static struct posegraph_edge *
find_way_out(struct spread *self, struct posegraph_edge *edges, const bool *is_placed)
{
    while (self->way_count) {
        struct posegraph_edge *edge = &edges[pop_way(self).edge];
        if (is_leading_out(edge, is_placed))
            return edge;
    }
    return NULL;
}

void
initial_poses_place(uint32_t scene_count, struct posegraph_edge *edges, const int64_t *support,
                    size_t edge_count, bool *is_placed, struct rigid *poses)
{
    struct spread spread;
    spread_init(&spread, scene_count, edges, edge_count);
    for (uint32_t scene = 0; scene < scene_count; scene++)
        if (is_placed[scene])
            spread.queue[spread.last++] = scene;
    if (!spread.last) {
        is_placed[0] = true;
        poses[0] = rigid_identity;
        spread.queue[spread.last++] = 0;
    }
    while (spread.last < scene_count) {
        place_near(&spread, edges, support, is_placed, poses);
        struct posegraph_edge *way_out = find_way_out(&spread, edges, is_placed);
        if (!way_out)
            break;
        place_by(&spread, way_out, is_placed, poses);
    }
    spread_finish(&spread);
}

// --- connection ---

size_t
initial_poses_connect(uint32_t scene_count, struct posegraph_edge *edges, const int64_t *support,
                      size_t edge_count, bool *is_bridge)
{
    uint32_t *groups = disjoint_set_create(scene_count);
    struct ranked *order = memory_take(edge_count * sizeof *order + 1);
    size_t count = 0, missing = 0;
    for (size_t i = 0; i < edge_count; i++)
        if (edges[i].weight > 0)
            disjoint_set_join(groups, edges[i].from, edges[i].to);
        else
            order[count++] = (struct ranked){support[i], i};
    qsort(order, count, sizeof *order, compare_ranks);
    for (size_t i = 0; i < count; i++) {
        struct posegraph_edge *edge = &edges[order[i].edge];
        if (!disjoint_set_join(groups, edge->from, edge->to))
            continue;
        edge->weight = 1;
        is_bridge[order[i].edge] = true;
        missing++;
    }
    free(order);
    free(groups);
    return missing;
}
