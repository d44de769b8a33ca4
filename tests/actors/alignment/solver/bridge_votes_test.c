// bridge_votes_test.c - links between two parts that agree with each other, and that do not.
#include "actors/alignment/solver/bridge_votes.h"

#include <criterion/criterion.h>

#include "actors/alignment/solver/initial_poses.h"

enum { SCENES = 4, EDGES = 4 };

// Scenes 0 and 1 are one part, 2 and 3 the other; edges 2 and 3 lie between them. All poses are the
// identity.
struct parts {
    struct posegraph_edge edges[EDGES];
    struct mode modes[EDGES];
    const struct mode *best[EDGES];
    int64_t support[EDGES];
    struct rigid poses[SCENES];
};

static void
make_parts(struct parts *ret_parts)
{
    static const uint32_t ends[EDGES][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
    *ret_parts = (struct parts){.support = {3, 3, 1, 1}};
    for (int i = 0; i < SCENES; i++)
        ret_parts->poses[i] = rigid_identity;
    for (uint32_t i = 0; i < EDGES; i++) {
        struct mode *mode = &ret_parts->modes[i];
        *mode = (struct mode){.motion = rigid_identity, .devices = 1, .only_device = i};
        for (int k = 0; k < 6; k++)
            mode->covariance[k * 7] = 0.01;
        ret_parts->best[i] = mode;
        ret_parts->edges[i] =
            (struct posegraph_edge){.from = ends[i][0], .to = ends[i][1], .motion = rigid_identity};
    }
}

static bool
vote(struct parts *parts)
{
    return bridge_votes_support(SCENES, parts->edges, parts->best, parts->support, EDGES,
                                parts->poses);
}

Test(bridge_votes, two_links_that_agree_raise_each_other_by_two)
{
    struct parts parts;
    make_parts(&parts);
    parts.edges[2].motion.translation[0] = parts.edges[3].motion.translation[0] = 50;
    cr_assert(vote(&parts));
    cr_assert_eq(parts.support[0], 3);
    cr_assert_eq(parts.support[1], 3);
    cr_assert_eq(parts.support[2], 3);
    cr_assert_eq(parts.support[3], 3);
}

Test(bridge_votes, two_links_that_differ_raise_nothing)
{
    struct parts parts;
    make_parts(&parts);
    parts.edges[2].motion.translation[0] = 50;
    cr_assert_not(vote(&parts));
    cr_assert_eq(parts.support[2], 1);
    cr_assert_eq(parts.support[3], 1);
}

Test(bridge_votes, a_device_does_not_confirm_itself)
{
    struct parts parts;
    make_parts(&parts);
    parts.modes[3].only_device = parts.modes[2].only_device;
    cr_assert_not(vote(&parts));
}

Test(bridge_votes, a_past_mode_does_not_vote)
{
    struct parts parts;
    make_parts(&parts);
    parts.support[3] = -1;
    cr_assert_not(vote(&parts));
    cr_assert_eq(parts.support[2], 1);
}
