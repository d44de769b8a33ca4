// observation_fusion_test.c - what the observations of one link say together.
#include "actors/alignment/solver/observation_fusion.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/support/worlds.h"

#define PI 3.14159265358979323846

// What device `device` saw at time `time_us`; sigma 5 cm and 0.05 rad.
static struct observation
observation_of(uint64_t device, uint64_t time_us, double x, double yaw)
{
    struct observation item = {
        .b = 1,
        .weight = 1,
        .device = device,
        .time_us = time_us,
        .motion = {.rotation = {cos(yaw / 2), 0, 0, sin(yaw / 2)}, .translation = {x, 0, 0}}};
    for (int i = 0; i < 6; i++)
        item.information[i * 7] = 400;
    return item;
}

Test(observation_fusion, mean_of_rotations_does_not_mind_signs)
{
    double quaternions[2][4] = {{cos(0.1), 0, 0, sin(0.1)}, {-cos(0.3), 0, 0, -sin(0.3)}};
    double weights[2] = {1, 1}, mean[4];
    fusion_mean_rotation((const double(*)[4])quaternions, weights, 2, mean);
    cr_assert_float_eq(mean[0], cos(0.2), 1e-12);
    cr_assert_float_eq(mean[3], sin(0.2), 1e-12);
}

Test(observation_fusion, mean_of_rotations_goes_by_weights)
{
    double quaternions[2][4] = {{1, 0, 0, 0}, {cos(0.1), sin(0.1), 0, 0}};
    double weights[2] = {1, 0}, mean[4];
    fusion_mean_rotation((const double(*)[4])quaternions, weights, 2, mean);
    cr_assert_float_eq(mean[0], 1, 1e-12);
}

Test(observation_fusion, observations_that_agree_are_one_mode_at_their_mean)
{
    struct observation items[] = {observation_of(1, 1, 1.0, 0.1), observation_of(2, 2, 1.1, 0.2)};
    struct mode modes[FUSION_MODES];
    cr_assert_eq(fusion_split(items, 2, modes), 1);
    cr_assert_eq(modes[0].devices, 2);
    cr_assert_float_eq(modes[0].motion.rotation[3], sin(0.075), 1e-9);
    cr_assert_float_eq(modes[0].information[0], 800, 1e-9);
}

Test(observation_fusion, what_disagrees_is_a_mode_of_its_own_and_the_larger_one_comes_first)
{
    struct observation items[] = {observation_of(1, 1, 5, 1), observation_of(2, 2, 1, 0),
                                  observation_of(3, 3, 1.05, 0)};
    struct mode modes[FUSION_MODES];
    cr_assert_eq(fusion_split(items, 3, modes), 2);
    cr_assert_eq(modes[0].devices, 2);
    cr_assert_eq(items[0].mode, 1);
    cr_assert_eq(items[1].mode, 0);
    cr_assert_eq(items[2].mode, 0);
}

Test(observation_fusion, of_two_that_disagree_the_newer_comes_first)
{
    struct observation items[] = {observation_of(1, 1, 5, 1), observation_of(2, 2, 1, 0)};
    struct mode modes[FUSION_MODES];
    cr_assert_eq(fusion_split(items, 2, modes), 2);
    cr_assert_eq(items[1].mode, 0);
}

Test(observation_fusion, what_is_past_has_no_mode_beside_what_is_not)
{
    struct observation items[5];
    struct mode modes[FUSION_MODES];
    for (uint64_t i = 0; i < 5; i++) {
        items[i] = observation_of(i + 1, i + 1, i < 3 ? 0 : 3, 0);
        items[i].is_past = i < 3;
    }
    cr_assert_eq(fusion_split(items, 5, modes), 1);
    cr_assert_eq(items[0].mode, FUSION_STRAY);
    cr_assert_eq(modes[0].devices, 2);
    cr_assert_not(modes[0].is_past);
}

Test(observation_fusion, a_link_of_the_past_alone_has_past_modes)
{
    struct observation items[2] = {observation_of(1, 1, 0, 0), observation_of(2, 2, 0, 0)};
    struct mode modes[FUSION_MODES];
    items[0].is_past = items[1].is_past = true;
    cr_assert_eq(fusion_split(items, 2, modes), 1);
    cr_assert_eq(modes[0].devices, 2);
    cr_assert(modes[0].is_past);
}

Test(observation_fusion, many_devices_of_one_user_outvote_nobody)
{
    static struct observation items[8]; // more than a frame may have
    for (uint64_t i = 0; i < 8; i++) {
        items[i] = observation_of(i, i, i < 3 ? 1 : 5, 0);
        items[i].user = i < 3 ? i + 1 : 9;
    }
    struct mode modes[FUSION_MODES];
    cr_assert_eq(fusion_split(items, 8, modes), 2);
    cr_assert_eq(modes[0].devices, 3);
    cr_assert_eq(modes[1].devices, FUSION_USER_DEVICES);
    cr_assert_eq(items[0].mode, 0);
}

Test(observation_fusion, antipodal_rotations_give_numbers)
{
    struct observation items[3];
    struct mode modes[FUSION_MODES];
    for (uint64_t i = 0; i < 3; i++)
        items[i] = observation_of(i + 1, i + 1, 0, (double)i * PI);
    uint32_t count = fusion_split(items, 3, modes);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            cr_assert(isfinite(modes[i].motion.rotation[k]));
}
