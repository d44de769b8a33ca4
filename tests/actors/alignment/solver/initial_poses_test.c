// initial_poses_test.c - the support of modes, poses along supported edges, and connection.
#include "actors/alignment/solver/initial_poses.h"

#include <criterion/criterion.h>

#include "tests/support/samples.h"

// An edge that says: the origin of `from` is at x in the coordinates of `to`.
static struct posegraph_edge
edge_of(uint32_t from, uint32_t to, double x)
{
    struct posegraph_edge edge = {.from = from, .to = to, .motion = rigid_identity};
    edge.motion.translation[0] = x;
    return edge;
}

static void
assert_x(const struct rigid *pose, double expected)
{
    cr_assert_float_eq(pose->translation[0], expected, 1e-12, "%g", pose->translation[0]);
}

Test(initial_poses, support_counts_devices_and_cycles)
{
    cr_assert_eq(initial_poses_support(&(struct mode){.devices = 1}), 1);
    cr_assert_eq(initial_poses_support(&(struct mode){.devices = 3}), 5);
    cr_assert_eq(initial_poses_support(&(struct mode){.devices = 1, .cycles = 2}), 3);
    cr_assert_eq(initial_poses_support(&(struct mode){.devices = 9, .is_past = true}), -1);
}

Test(initial_poses, two_devices_or_two_cycles_are_enough_to_begin_with)
{
    cr_assert_geq(initial_poses_support(&(struct mode){.devices = 2}), INITIAL_POSES_SUPPORT);
    cr_assert_geq(initial_poses_support(&(struct mode){.devices = 1, .cycles = 2}),
                  INITIAL_POSES_SUPPORT);
    cr_assert_lt(initial_poses_support(&(struct mode){.devices = 1, .cycles = 1}),
                 INITIAL_POSES_SUPPORT);
}

Test(initial_poses, a_pinned_mode_is_better_than_any_other)
{
    struct candidates candidates = {.count = 3,
                                    .modes = {{.devices = 1},
                                              {.devices = 1000, .cycles = 4},
                                              {.devices = 1, .is_pinned = true}}};
    cr_assert_eq(initial_poses_best(&candidates), &candidates.modes[2]);
}

Test(initial_poses, of_equal_modes_the_first_is_the_best)
{
    struct candidates candidates = {.count = 2, .modes = {{.devices = 2}, {.devices = 2}}};
    cr_assert_eq(initial_poses_best(&candidates), &candidates.modes[0]);
}

// 0 - 1 - 2 with support, and a wrong edge 0 - 2 without.
Test(initial_poses, poses_follow_supported_edges)
{
    struct posegraph_edge edges[] = {edge_of(0, 2, 100), edge_of(0, 1, -1), edge_of(1, 2, -2)};
    const int64_t support[] = {1, 3, 3};
    bool is_placed[3] = {false};
    struct rigid poses[3];
    initial_poses_place(3, edges, support, 3, is_placed, poses);
    assert_x(&poses[0], 0);
    assert_x(&poses[1], 1);
    assert_x(&poses[2], 3);
    cr_assert_eq(edges[0].weight, 0);
    cr_assert_eq(edges[1].weight, 1);
    cr_assert_eq(edges[2].weight, 1);
}

Test(initial_poses, poses_that_are_there_stay)
{
    struct posegraph_edge edges[] = {edge_of(0, 1, -1), edge_of(1, 2, -2)};
    const int64_t support[] = {3, 3};
    bool is_placed[3] = {false, true, false};
    struct rigid poses[3] = {rigid_identity, rigid_identity, rigid_identity};
    poses[1].translation[0] = 10;
    initial_poses_place(3, edges, support, 2, is_placed, poses);
    assert_x(&poses[0], 9);
    assert_x(&poses[1], 10);
    assert_x(&poses[2], 12);
}

enum { SCENES = 60, EDGES = 300 };

// Without any supported edge, from one scene outwards or from the best edge on: the sum is the
// same.
Test(initial_poses, without_support_scenes_are_placed_by_the_best_edges_there_are)
{
    struct random chance = {1};
    for (int world = 0; world < 20; world++) {
        static struct posegraph_edge edges[EDGES], copies[EDGES];
        int64_t support[EDGES], placed = 0, connected = 0;
        bool is_placed[SCENES] = {false}, is_bridge[EDGES] = {false};
        static struct rigid poses[SCENES];
        for (uint32_t i = 0; i < EDGES; i++) {
            uint32_t to = i < SCENES - 1 ? i + 1 : 1 + (uint32_t)random_below(&chance, SCENES - 1);
            edges[i] = copies[i] = edge_of((uint32_t)random_below(&chance, to), to, 0);
            support[i] = (int64_t)random_below(&chance, INITIAL_POSES_SUPPORT + 1) - 1;
        }
        initial_poses_place(SCENES, edges, support, EDGES, is_placed, poses);
        cr_assert_eq(initial_poses_connect(SCENES, copies, support, EDGES, is_bridge), SCENES - 1);
        for (int i = 0; i < EDGES; i++) {
            placed += edges[i].weight > 0 ? support[i] + 1000 : 0;
            connected += is_bridge[i] ? support[i] + 1000 : 0;
        }
        cr_assert_eq(placed, connected);
    }
}

Test(initial_poses, the_best_supported_edges_connect_what_is_apart)
{
    struct posegraph_edge edges[] = {edge_of(0, 1, 0), edge_of(1, 2, 0), edge_of(0, 2, 0)};
    const int64_t support[] = {5, 1, 2};
    bool is_bridge[3] = {false};
    edges[0].weight = 1;
    cr_assert_eq(initial_poses_connect(3, edges, support, 3, is_bridge), 1);
    cr_assert_not(is_bridge[0]);
    cr_assert_not(is_bridge[1]);
    cr_assert(is_bridge[2]);
    cr_assert_eq(edges[2].weight, 1);
    cr_assert_eq(edges[1].weight, 0);
}
