// lost_parts_test.c - parts of whose supported links less than half are left.
#include "actors/alignment/solver/lost_parts.h"

#include <criterion/criterion.h>

#include "actors/alignment/solver/initial_poses.h"

enum { SCENES = 6, EDGES = 7 };

// Two triangles, and a link between them that nothing supports.
struct parts {
    struct posegraph_edge edges[EDGES];
    int64_t support[EDGES];
    bool is_lost[EDGES];
};

static size_t
find(struct parts *parts, const int *weights)
{
    static const uint32_t ends[EDGES][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 5}, {4, 5}, {2, 3}};
    for (int i = 0; i < EDGES; i++) {
        parts->edges[i] =
            (struct posegraph_edge){.from = ends[i][0], .to = ends[i][1], .weight = weights[i]};
        parts->support[i] = i < 6 ? INITIAL_POSES_SUPPORT : 1;
    }
    return lost_parts_find(SCENES, parts->edges, parts->support, EDGES, parts->is_lost);
}

Test(lost_parts, a_part_with_two_of_three_links_is_kept)
{
    struct parts parts;
    cr_assert_eq(find(&parts, (const int[]){1, 1, 0, 1, 1, 1, 1}), 0);
    for (int i = 0; i < EDGES; i++)
        cr_assert_not(parts.is_lost[i]);
}

Test(lost_parts, a_part_with_one_of_three_links_is_lost_and_no_other)
{
    struct parts parts;
    cr_assert_eq(find(&parts, (const int[]){1, 0, 0, 1, 1, 1, 1}), 3);
    for (int i = 0; i < EDGES; i++)
        cr_assert_eq(parts.is_lost[i], i < 3);
}

Test(lost_parts, links_that_nothing_supports_are_no_loss)
{
    struct parts parts;
    cr_assert_eq(find(&parts, (const int[]){1, 1, 1, 1, 1, 1, 0}), 0);
}
