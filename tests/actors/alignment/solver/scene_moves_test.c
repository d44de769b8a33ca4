// scene_moves_test.c - scenes whose origin was put somewhere else: what tells of it, and of which.
#include "actors/alignment/solver/scene_moves.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/alignment/solver/noise_model.h"
#include "tests/support/worlds.h"

enum { SCENES = 6, MOST = 64 };

static struct standing standings[MOST * 2];
static struct correction corrections[MOST * 2];
static const double centres[SCENES * 3];
static uint32_t count;
static struct observations observations;
static bool is_doubtful[SCENES * SCENES];

// A device that stands at 0 in scene a and at x in scene b.
static void
see_as(uint64_t device, uint64_t user, uint32_t a, uint32_t b, double x)
{
    for (int i = 0; i < 2; i++, count++) {
        struct rigid pose = rigid_identity;
        pose.translation[0] = i ? x : 0;
        corrections[count] = correction_of(count + 1, i ? b : a, device, &pose);
        corrections[count].user = user;
        standings[count] = (struct standing){.correction = &corrections[count], .scene = i ? b : a};
    }
}

static void
see(uint32_t devices, uint32_t a, uint32_t b, double x)
{
    for (uint32_t i = 0; i < devices; i++)
        see_as(count + 1, 0, a, b, x);
}

// How many observations are past.
static size_t
find(void)
{
    static struct candidates candidates[SCENES * SCENES];
    observations_init(&observations, standings, count, centres, &(struct noise_model){0}, NULL);
    for (size_t i = 0; i < observations.link_count; i++) {
        const struct link *link = &observations.links[i];
        candidates[i].count =
            fusion_split(observations.items + link->first, link->count, candidates[i].modes);
        for (uint32_t mode = 0; mode < candidates[i].count; mode++)
            fusion_find_covariance(&candidates[i].modes[mode]);
    }
    size_t past = 0;
    bool is_any = scene_moves_find(SCENES, &observations, candidates, NULL, is_doubtful);
    for (size_t i = 0; i < observations.count; i++)
        past += observations.items[i].is_past;
    cr_assert_eq(is_any, past > 0);
    return past;
}

static size_t
doubtful_links(void)
{
    size_t doubtful = 0;
    for (size_t i = 0; i < observations.link_count; i++)
        doubtful += is_doubtful[i];
    return doubtful;
}

static void
begin(void)
{
    count = 0;
}

static void
end(void)
{
    observations_finish(&observations);
}

TestSuite(scene_moves, .init = begin, .fini = end);

// Scene 0 in the middle of 1 to 4, five devices a link, each neighbour at its own distance.
static void
see_star(void)
{
    for (uint32_t other = 1; other <= 4; other++)
        see(5, 0, other, other);
}

// --- two scenes by themselves ---

Test(scene_moves, three_recent_devices_that_agree_put_five_older_ones_into_the_past)
{
    see(5, 0, 1, 0);
    see(3, 0, 1, 3);
    cr_assert_eq(find(), 5);
    cr_assert_eq(doubtful_links(), 0);
}

Test(scene_moves, two_recent_devices_tell_of_no_move)
{
    see(5, 0, 1, 0);
    see(2, 0, 1, 3);
    cr_assert_eq(find(), 0);
    cr_assert_eq(doubtful_links(), 0);
}

Test(scene_moves, one_device_that_comes_three_times_tells_of_no_move)
{
    see(5, 0, 1, 0);
    for (int i = 0; i < 3; i++) {
        see_as(999, 0, 0, 1, 3);
        corrections[count - 1].session = corrections[count - 2].session = 1000 + count;
    }
    cr_assert_eq(find(), 0);
}

Test(scene_moves, devices_of_one_user_that_contradict_others_tell_of_no_move)
{
    for (uint64_t i = 1; i <= 3; i++)
        see_as(i, i, 0, 1, 0);
    for (uint64_t i = 1; i <= 5; i++)
        see_as(10 + i, 9, 0, 1, 3);
    cr_assert_eq(find(), 0);
}

Test(scene_moves, what_is_pinned_is_never_in_the_past)
{
    see(5, 0, 1, 0);
    see(3, 0, 1, 3);
    corrections[0].is_pinned = true;
    cr_assert_eq(find(), 0);
}

// --- a scene with several links ---

Test(scene_moves, two_links_that_tell_of_the_same_move_put_all_links_of_the_scene_into_the_past)
{
    see_star();
    see(2, 0, 1, 1 - 20);
    see(1, 0, 2, 2 - 20);
    cr_assert_eq(find(), 20, "of the two links that nobody came to as well");
    cr_assert_eq(doubtful_links(), 0);
}

Test(scene_moves, one_link_alone_does_not_tell_which_end_moved)
{
    see_star();
    see(1, 1, 5, 4); // the neighbour has another link too
    see(3, 0, 1, 1 - 20);
    cr_assert_eq(find(), 0);
    cr_assert_eq(doubtful_links(), 5, "all links of both ends");
}

Test(scene_moves, of_one_changed_link_the_end_moved_whose_other_end_is_steady)
{
    see_star();
    see(3, 0, 1, 1 - 20);
    for (uint32_t other = 2; other <= 4; other++)
        see(1, 0, other, other);
    cr_assert_eq(find(), 5, "those of the leaf");
    cr_assert_eq(doubtful_links(), 0);
}

Test(scene_moves, links_that_tell_of_different_moves_do_not_add_up)
{
    see_star();
    see(2, 0, 1, 1 - 20);
    see(1, 0, 2, 2 + 7);
    cr_assert_eq(find(), 0);
}

Test(scene_moves, liars_at_two_links_do_not_move_a_scene_that_more_devices_find_where_it_was)
{
    see_star();
    see(2, 0, 1, 1 - 20);
    see(1, 0, 2, 2 - 20);
    see(2, 0, 3, 3);
    see(2, 0, 4, 4);
    cr_assert_eq(find(), 0);
}
