// observations_test.c - how corrections are paired, ordered and weighed.
#include "actors/alignment/solver/observations.h"

#include <criterion/criterion.h>
#include <math.h>

#include "actors/alignment/solver/noise_model.h"
#include "tests/support/worlds.h"

enum { MOST = 64 };

static struct correction corrections[MOST];
static struct standing standings[MOST];
static size_t count;
static double centres[3 * 8];
static struct observations observations;

static void
end(void)
{
    observations_finish(&observations);
}

TestSuite(observations, .fini = end);

// The device stands at x in the scene.
static struct correction *
stand(uint64_t device, uint32_t scene, double x)
{
    struct rigid pose = rigid_identity;
    pose.translation[0] = x;
    corrections[count] = correction_of(count + 1, scene + 1, device, &pose);
    standings[count] = (struct standing){&corrections[count], scene, 0, 0};
    return &corrections[count++];
}

static void
pair(void)
{
    observations_init(&observations, standings, count, centres, &(struct noise_model){0}, NULL);
}

Test(observations, two_corrections_of_a_session_say_how_their_scenes_relate)
{
    stand(1, 0, 0);
    stand(1, 1, 3);
    pair();
    cr_assert_eq(observations.count, 1);
    const struct observation *item = &observations.items[0];
    cr_assert_eq(item->a, 0);
    cr_assert_eq(item->b, 1);
    cr_assert_float_eq(item->motion.translation[0], 3, 1e-12);
    cr_assert_eq(item->weight, 1);
    cr_assert_eq(item->time_us, 2);
    cr_assert_float_eq(item->information[0], 1 / (2 * 0.05 * 0.05), 1e-9);
}

Test(observations, the_motion_is_between_the_centres_of_scenes)
{
    centres[3] = 1000;
    stand(1, 0, 0);
    stand(1, 1, 1003);
    pair();
    cr_assert_float_eq(observations.items[0].motion.translation[0], 3, 1e-12);
}

Test(observations, corrections_of_different_sessions_are_not_paired)
{
    stand(1, 0, 0);
    stand(1, 1, 3)->session = 77;
    stand(2, 1, 3);
    pair();
    cr_assert_eq(observations.count, 0);
    cr_assert_eq(observations.link_count, 0);
}

Test(observations, three_corrections_make_three_pairs_of_two_thirds)
{
    stand(1, 0, 0);
    stand(1, 1, 1);
    stand(1, 2, 2);
    pair();
    cr_assert_eq(observations.count, 3);
    cr_assert_eq(observations.link_count, 3);
    for (int i = 0; i < 3; i++)
        cr_assert_float_eq(observations.items[i].weight, 2.0 / 3, 1e-12);
}

Test(observations, many_corrections_are_paired_with_the_next_eight_each)
{
    for (uint32_t i = 0; i < 20; i++)
        stand(1, i % 8, i);
    pair();
    cr_assert_eq(observations.count, 8 * 12 + 7 + 6 + 5 + 4 + 3 + 2 + 1);
}

Test(observations, those_of_a_link_are_consecutive_from_the_oldest_to_the_newest)
{
    stand(3, 1, 0);
    stand(3, 2, 0);
    stand(2, 0, 0);
    stand(2, 1, 0);
    stand(1, 0, 0);
    stand(1, 1, 0);
    pair();
    cr_assert_eq(observations.link_count, 2);
    cr_assert_eq(observations.links[0].a, 0);
    cr_assert_eq(observations.links[0].b, 1);
    cr_assert_eq(observations.links[0].first, 0);
    cr_assert_eq(observations.links[0].count, 2);
    cr_assert_eq(observations.items[0].device, 2);
    cr_assert_eq(observations.items[1].device, 1);
    cr_assert_eq(observations.links[1].first, 2);
}

Test(observations, a_weight_fades_to_a_half_in_eight_steps)
{
    stand(1, 0, 0);
    stand(1, 1, 3);
    standings[0].fade = FADE_STEPS;
    pair();
    cr_assert_float_eq(observations.items[0].weight, 0.5, 1e-12);
}

Test(observations, all_sessions_of_a_device_weigh_as_much_as_one_at_a_link)
{
    for (uint64_t session = 1; session <= 4; session++) {
        stand(1, 0, 0)->session = session;
        stand(1, 1, 3)->session = session;
    }
    pair();
    cr_assert_eq(observations.count, 4);
    for (int i = 0; i < 4; i++)
        cr_assert_float_eq(observations.items[i].weight, 0.25, 1e-12);
}

Test(observations, all_devices_of_a_user_weigh_as_much_as_the_median_user_at_a_link)
{
    for (uint64_t device = 1; device <= 6; device++) {
        stand(device, 0, 0)->user = device < 5 ? 9 : device;
        stand(device, 1, 3)->user = device < 5 ? 9 : device;
    }
    pair();
    for (int i = 0; i < 6; i++)
        cr_assert_float_eq(observations.items[i].weight, i < 4 ? 0.25 : 1, 1e-12);
}

Test(observations, the_devices_of_one_user_alone_weigh_what_they_say)
{
    for (uint64_t device = 1; device <= 4; device++) {
        stand(device, 0, 0)->user = 9;
        stand(device, 1, 3)->user = 9;
    }
    pair();
    for (int i = 0; i < 4; i++)
        cr_assert_float_eq(observations.items[i].weight, 1, 1e-12);
}

Test(observations, a_pinned_one_keeps_its_weight)
{
    for (uint64_t session = 1; session <= 2; session++) {
        stand(1, 0, 0)->session = session;
        stand(1, 1, 3)->session = session;
    }
    corrections[0].is_pinned = true;
    pair();
    cr_assert_eq(observations.items[0].weight, 1);
    cr_assert_float_eq(observations.items[1].weight, 0.5, 1e-12);
}

Test(observations, a_claimed_accuracy_is_believed_to_a_millimetre)
{
    stand(1, 0, 0)->sigma_t_m = 1e-9;
    stand(1, 1, 3)->sigma_t_m = NAN;
    pair();
    cr_assert_float_eq(observations.items[0].information[0], 1 / 2e-6, 1e-3);
}
