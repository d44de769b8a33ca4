// cycle_votes_test.c - cycles of links that close, and that do not.
#include "actors/alignment/solver/cycle_votes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/disjoint_set.h"
#include "tests/support/worlds.h"

enum { SCENES = 4 };

// A square of scenes, links 0-1, 0-3, 1-2, 2-3, that agrees with random poses; sigma 5 cm, 0.05
// rad.
struct square {
    struct rigid poses[SCENES];
    struct link links[4];
    struct candidates candidates[4];
};

static struct mode
mode_of(const struct square *square, const struct link *link, uint64_t device)
{
    struct mode mode = {.observations = 1, .devices = 1, .only_device = device};
    struct rigid back = rigid_invert(&square->poses[link->b]);
    mode.motion = rigid_compose(&back, &square->poses[link->a]);
    for (int i = 0; i < 6; i++) {
        mode.information[i * 7] = 400;
        mode.covariance[i * 7] = 1.0 / 400;
    }
    return mode;
}

static void
make_square(struct square *ret_square)
{
    struct random chance = {5};
    *ret_square =
        (struct square){.links = {{0, 1, 0, 1}, {0, 3, 1, 1}, {1, 2, 2, 1}, {2, 3, 3, 1}}};
    for (int i = 0; i < SCENES; i++)
        ret_square->poses[i] = random_motion(&chance, 3);
    for (uint64_t i = 0; i < 4; i++) {
        ret_square->candidates[i].count = 1;
        ret_square->candidates[i].modes[0] = mode_of(ret_square, &ret_square->links[i], i + 1);
    }
}

Test(cycle_votes, links_of_a_square_that_closes_are_confirmed_once_each)
{
    static struct square square;
    make_square(&square);
    cycle_votes_count(SCENES, square.links, 4, square.candidates, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(square.candidates[i].modes[0].cycles, 1);
}

Test(cycle_votes, a_wrong_link_confirms_none_of_its_square)
{
    static struct square square;
    make_square(&square);
    square.candidates[2].modes[0].motion.translation[1] += 2;
    cycle_votes_count(SCENES, square.links, 4, square.candidates, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(square.candidates[i].modes[0].cycles, 0);
}

Test(cycle_votes, what_noise_explains_closes)
{
    static struct square square;
    make_square(&square);
    square.candidates[2].modes[0].motion.translation[1] += 0.1;
    cycle_votes_count(SCENES, square.links, 4, square.candidates, NULL);
    cr_assert_eq(square.candidates[0].modes[0].cycles, 1);
}

Test(cycle_votes, of_two_modes_the_right_one_is_confirmed)
{
    static struct square square;
    make_square(&square);
    struct candidates *first = &square.candidates[0];
    first->modes[1] = first->modes[0];
    first->modes[0].motion.translation[0] += 2;
    first->modes[1].only_device = 9;
    first->count = 2;
    cycle_votes_count(SCENES, square.links, 4, square.candidates, NULL);
    cr_assert_eq(first->modes[0].cycles, 0);
    cr_assert_eq(first->modes[1].cycles, 1);
    cr_assert_eq(square.candidates[3].modes[0].cycles, 1);
}

Test(cycle_votes, a_device_alone_at_two_links_of_a_cycle_confirms_nothing)
{
    static struct square square;
    make_square(&square);
    square.candidates[3].modes[0].only_device = 1;
    cycle_votes_count(SCENES, square.links, 4, square.candidates, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(square.candidates[i].modes[0].cycles, 0);
}

Test(cycle_votes, what_is_past_takes_no_part)
{
    static struct square square;
    make_square(&square);
    square.candidates[3].modes[0].is_past = true;
    cycle_votes_count(SCENES, square.links, 4, square.candidates, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(square.candidates[i].modes[0].cycles, 0);
}

Test(cycle_votes, triangles_count_too)
{
    static struct square square;
    make_square(&square);
    struct link triangle[] = {{0, 1, 0, 1}, {0, 2, 1, 1}, {1, 2, 2, 1}};
    for (uint64_t i = 0; i < 3; i++)
        square.candidates[i].modes[0] = mode_of(&square, &triangle[i], i + 1);
    cycle_votes_count(3, triangle, 3, square.candidates, NULL);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(square.candidates[i].modes[0].cycles, 1);
}

static bool
joins(const uint32_t *ranks, uint32_t one, uint32_t other)
{
    static struct square square;
    const struct mode *modes[4];
    uint32_t *groups = disjoint_set_create(4);
    make_square(&square);
    for (int i = 0; i < 4; i++)
        modes[i] = &square.candidates[i].modes[0];
    cycle_votes_join(SCENES, square.links, 4, modes, ranks, groups, NULL);
    bool is_joined = disjoint_set_find(groups, one) == disjoint_set_find(groups, other);
    free(groups);
    return is_joined;
}

Test(cycle_votes, opposite_links_of_a_square_are_joined)
{
    cr_assert(joins(NULL, 0, 3));
    cr_assert(joins(NULL, 1, 2));
    cr_assert_not(joins(NULL, 0, 1));
}

Test(cycle_votes, links_are_joined_by_links_of_their_rank_alone)
{
    const uint32_t ranks[] = {10, 5, 6, 10};
    cr_assert(joins(ranks, 1, 2));
    cr_assert_not(joins(ranks, 0, 3));
}
