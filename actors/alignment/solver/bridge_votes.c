// bridge_votes.c - links between parts (bridge_votes.h).
#include "actors/alignment/solver/bridge_votes.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/matrix6.h"
#include "proto/base/disjoint_set.h"
#include "proto/base/memory.h"

// The parts are not solved yet, so twice the noise of the links is allowed.
#define BRIDGE_GATE (4 * POSEGRAPH_GATE)

// An edge between two parts, and the motion of the second part from its present place to where this
// edge says that it is.
struct bridge_vote {
    uint32_t part_a, part_b; // part_a < part_b
    size_t edge;
    struct rigid move;
    double covariance[36]; // of twists on the right of `move`
};

static int
compare_bridge_votes(const void *a, const void *b)
{
    const struct bridge_vote *left = a, *right = b;
    if (left->part_a != right->part_a)
        return left->part_a < right->part_a ? -1 : 1;
    if (left->part_b != right->part_b)
        return left->part_b < right->part_b ? -1 : 1;
    return (left->edge > right->edge) - (left->edge < right->edge);
}

// The edge says to^-1 * from. If `from` is in the part that stays, the other part moves by
// from * motion^-1 * to^-1, else by to * motion * from^-1.
static void
find_move(struct bridge_vote *self, const struct posegraph_edge *edge, const struct mode *mode,
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
list_bridge_votes(uint32_t *parts, const struct posegraph_edge *edges,
                  const struct mode *const *modes, const int64_t *support, size_t edge_count,
                  const struct rigid *poses, struct bridge_vote *ret_votes)
{
    size_t count = 0;
    for (size_t i = 0; i < edge_count; i++) {
        uint32_t from = disjoint_set_find(parts, edges[i].from),
                 to = disjoint_set_find(parts, edges[i].to);
        if (from == to || support[i] < 0)
            continue;
        struct bridge_vote *bridge_vote = &ret_votes[count++];
        *bridge_vote = (struct bridge_vote){
            .part_a = from < to ? from : to, .part_b = from < to ? to : from, .edge = i};
        find_move(bridge_vote, &edges[i], modes[i], poses, from < to);
    }
    qsort(ret_votes, count, sizeof *ret_votes, compare_bridge_votes);
    return count;
}

static bool
is_agreeing(const struct bridge_vote *a, const struct bridge_vote *b,
            const struct mode *const *modes)
{
    const struct mode *left = modes[a->edge], *right = modes[b->edge];
    double sum[36], twist[6], chi_square;
    if (left->devices == 1 && right->devices == 1 && left->only_device == right->only_device)
        return false;
    struct rigid back = rigid_invert(&a->move);
    struct rigid apart = rigid_compose(&back, &b->move);
    rigid_log(&apart, twist);
    memcpy(sum, a->covariance, sizeof sum);
    matrix6_add(sum, 1, b->covariance);
    return matrix6_chi_square(sum, twist, &chi_square) && chi_square <= BRIDGE_GATE;
}

// Those of one pair of parts.
static bool
compare_all(const struct bridge_vote *bridge_votes, size_t count, const struct mode *const *modes,
            int64_t *support)
{
    bool is_raised = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_agreeing(&bridge_votes[i], &bridge_votes[k], modes)) {
                support[bridge_votes[i].edge] += 2;
                support[bridge_votes[k].edge] += 2;
                is_raised = true;
            }
    return is_raised;
}

bool
bridge_votes_support(uint32_t scene_count, const struct posegraph_edge *edges,
                     const struct mode *const *modes, int64_t *support, size_t edge_count,
                     const struct rigid *poses)
{
    uint32_t *parts = disjoint_set_create(scene_count);
    struct bridge_vote *bridge_votes = memory_take(edge_count * sizeof *bridge_votes + 1);
    bool is_raised = false;
    for (size_t i = 0; i < edge_count; i++)
        if (support[i] >= INITIAL_POSES_SUPPORT)
            disjoint_set_join(parts, edges[i].from, edges[i].to);
    size_t count = list_bridge_votes(parts, edges, modes, support, edge_count, poses, bridge_votes);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count &&
                              bridge_votes[end].part_a == bridge_votes[first].part_a &&
                              bridge_votes[end].part_b == bridge_votes[first].part_b;)
            end++;
        size_t compared = end - first < BRIDGE_VOTES_MOST ? end - first : BRIDGE_VOTES_MOST;
        is_raised = compare_all(bridge_votes + first, compared, modes, support) || is_raised;
    }
    free(bridge_votes);
    free(parts);
    return is_raised;
}
