// bridge_votes.c - links between parts (crossings.h).
#include "actors/alignment/solver/bridge_votes.h"

#include <stdlib.h>
#include <string.h>
#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/verification.h"
#include "actors/alignment/solver/matrix6.h"
#include "proto/base/memory.h"

// The parts are not solved yet, so that twice the noise of the links alone is allowed for.
#define CROSSING_GATE (4 * POSEGRAPH_GATE)

// An edge from one part to another, and how it would move the second part as it is placed now.
struct crossing {
    uint32_t part_a, part_b; // part_a < part_b
    size_t edge;
    struct rigid move;
    double covariance[36]; // of twists on the right of `move`
};

static int
compare_crossings(const void *a, const void *b)
{
    const struct crossing *left = a, *right = b;
    if (left->part_a != right->part_a)
        return left->part_a < right->part_a ? -1 : 1;
    if (left->part_b != right->part_b)
        return left->part_b < right->part_b ? -1 : 1;
    return (left->edge > right->edge) - (left->edge < right->edge);
}

// The edge says to^-1 * from. Where its first end is in the part that stays, the move of the other
// is from * motion^-1 * to^-1; else it is to * motion * from^-1.
static void
find_move(struct crossing *self, const struct posegraph_edge *edge, const struct mode *mode,
          const struct rigid *poses, bool is_forwards)
{
    const struct rigid *from = &poses[edge->from], *to = &poses[edge->to];
    struct rigid back = rigid_invert(&edge->motion);
    struct rigid end = is_forwards ? rigid_compose(from, &back) : rigid_compose(to, &edge->motion);
    self->move = rigid_between(is_forwards ? to : from, &end);
    struct rigid carrier = is_forwards ? *to : rigid_compose(from, &back);
    rigid_carry_covariance(&carrier, mode->covariance, self->covariance);
}

static size_t
list_crossings(uint32_t *parts, const struct posegraph_edge *edges, const struct mode *const *modes,
               const int64_t *support, size_t edge_count, const struct rigid *poses,
               struct crossing *ret_crossings)
{
    size_t count = 0;
    for (size_t i = 0; i < edge_count; i++) {
        uint32_t from = groups_find(parts, edges[i].from), to = groups_find(parts, edges[i].to);
        if (from == to || support[i] < 0)
            continue;
        struct crossing *crossing = &ret_crossings[count++];
        *crossing = (struct crossing){
            .part_a = from < to ? from : to, .part_b = from < to ? to : from, .edge = i};
        find_move(crossing, &edges[i], modes[i], poses, from < to);
    }
    qsort(ret_crossings, count, sizeof *ret_crossings, compare_crossings);
    return count;
}

static bool
is_agreeing(const struct crossing *a, const struct crossing *b, const struct mode *const *modes)
{
    const struct mode *left = modes[a->edge], *right = modes[b->edge];
    double sum[36], twist[6], solved[6], chi_square = 0;
    if (left->devices == 1 && right->devices == 1 && left->only_device == right->only_device)
        return false;
    struct rigid back = rigid_invert(&a->move);
    struct rigid apart = rigid_compose(&back, &b->move);
    rigid_log(&apart, twist);
    memcpy(sum, a->covariance, sizeof sum);
    matrix6_add(sum, 1, b->covariance);
    if (!matrix6_solve(sum, twist, solved))
        return false;
    for (int i = 0; i < 6; i++)
        chi_square += twist[i] * solved[i];
    return chi_square <= CROSSING_GATE;
}

// Those of one pair of parts.
static bool
compare_all(const struct crossing *crossings, size_t count, const struct mode *const *modes,
            int64_t *support)
{
    bool is_raised = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_agreeing(&crossings[i], &crossings[k], modes)) {
                support[crossings[i].edge] += 2;
                support[crossings[k].edge] += 2;
                is_raised = true;
            }
    return is_raised;
}

bool
crossings_support(uint32_t scene_count, const struct posegraph_edge *edges,
                  const struct mode *const *modes, int64_t *support, size_t edge_count,
                  const struct rigid *poses)
{
    uint32_t *parts = groups_create(scene_count);
    struct crossing *crossings = memory_take(edge_count * sizeof *crossings + 1);
    bool is_raised = false;
    for (size_t i = 0; i < edge_count; i++)
        if (support[i] >= BEGINNING_SUPPORT)
            groups_join(parts, edges[i].from, edges[i].to);
    size_t count = list_crossings(parts, edges, modes, support, edge_count, poses, crossings);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && crossings[end].part_a == crossings[first].part_a &&
                              crossings[end].part_b == crossings[first].part_b;)
            end++;
        size_t compared = end - first < CROSSINGS_MOST ? end - first : CROSSINGS_MOST;
        is_raised = compare_all(crossings + first, compared, modes, support) || is_raised;
    }
    free(crossings);
    free(parts);
    return is_raised;
}
