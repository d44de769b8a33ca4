// rigid_test.c - properties of rigid motions, to 1e-9 for values around 1, also where angles
// vanish, where they are half turns and where axes fall together.
#include "actors/alignment/solver/rigid.h"

#include <criterion/criterion.h>
#include <math.h>

#include "proto/spatial/transform.h"
#include "tests/support/samples.h"

#define EXACT 1e-9
#define PI 3.14159265358979323846

enum { ROUNDS = 2000 };

static struct random chance = {7};

static double
any_number(double low, double high)
{
    return low + (high - low) * ((double)(random_next(&chance) >> 11) / 9007199254740992.0);
}

static struct rigid
any_motion(void)
{
    double twist[6];
    for (int i = 0; i < 6; i++)
        twist[i] = any_number(-1.7, 1.7);
    return rigid_exp(twist);
}

static void
expect_same(const struct rigid *expected, const struct rigid *actual)
{
    double distance_m, angle_rad;
    rigid_difference(expected, actual, &distance_m, &angle_rad);
    cr_assert_lt(distance_m, EXACT);
    cr_assert_lt(angle_rad, EXACT);
}

static void
expect_numbers(const double *expected, const double *actual, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_float_eq(expected[i], actual[i], EXACT, "number %zu: %.12g, not %.12g", i,
                           actual[i], expected[i]);
}

Test(rigid, way_there_and_back_is_the_identity)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct rigid there = any_motion(), back = rigid_invert(&there);
        struct rigid both = rigid_compose(&back, &there);
        expect_same(&rigid_identity, &both);
    }
}

Test(rigid, composition_is_associative)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct rigid a = any_motion(), b = any_motion(), c = any_motion();
        struct rigid ab = rigid_compose(&a, &b), bc = rigid_compose(&b, &c);
        struct rigid left = rigid_compose(&ab, &c), right = rigid_compose(&a, &bc);
        expect_same(&left, &right);
    }
}

Test(rigid, composition_applies_the_inner_motion_first)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct rigid outer = any_motion(), inner = any_motion();
        struct rigid both = rigid_compose(&outer, &inner);
        const double point[3] = {any_number(-5, 5), any_number(-5, 5), any_number(-5, 5)};
        double expected[3], actual[3];
        rigid_apply(&inner, point, expected);
        rigid_apply(&outer, expected, expected);
        rigid_apply(&both, point, actual);
        expect_numbers(expected, actual, 3);
    }
}

Test(rigid, quarter_turn_about_z_takes_x_to_y)
{
    const double twist[6] = {0, 0, 0, 0, 0, PI / 2}, x[3] = {1, 0, 0}, expected[3] = {0, 1, 0};
    struct rigid turn = rigid_exp(twist);
    double actual[3];
    rigid_apply(&turn, x, actual);
    expect_numbers(expected, actual, 3);
}

Test(rigid, exponential_of_a_logarithm_is_the_motion)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct rigid motion = any_motion();
        double twist[6];
        rigid_log(&motion, twist);
        struct rigid again = rigid_exp(twist);
        expect_same(&motion, &again);
    }
}

Test(rigid, logarithm_of_an_exponential_is_the_twist_at_every_angle_below_pi)
{
    static const double angles[] = {0, 1e-12, 1e-7, 0.99e-4, 1.01e-4, 1e-3, 0.1, 1, 3, PI - 1e-6};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        const double twist[6] = {0.3, -0.4, 0.5, 0.6 * angles[i], 0, -0.8 * angles[i]};
        struct rigid motion = rigid_exp(twist);
        double again[6];
        rigid_log(&motion, again);
        expect_numbers(twist, again, 6);
    }
}

// A turn by pi has two shortest ways; either leads to the same motion.
Test(rigid, motion_survives_the_logarithm_at_every_angle_around_pi)
{
    static const double offs[] = {0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3};
    for (size_t i = 0; i < sizeof offs / sizeof offs[0]; i++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int round = 0; round < 100; round++) {
                double axis[3] = {any_number(-1, 1), any_number(-1, 1), any_number(-1, 1)};
                double size = hypot(hypot(axis[0], axis[1]), axis[2]);
                double angle = (PI + sign * offs[i]) / size;
                const double twist[6] = {
                    0.3, -0.4, 0.5, axis[0] * angle, axis[1] * angle, axis[2] * angle};
                struct rigid motion = rigid_exp(twist);
                double again[6];
                rigid_log(&motion, again);
                cr_assert_leq(hypot(hypot(again[3], again[4]), again[5]), PI + EXACT);
                struct rigid same = rigid_exp(again);
                expect_same(&motion, &same);
            }
}

// Relative to the size of the translation, which is that of a country here.
Test(rigid, small_rotations_lose_nothing_of_long_translations)
{
    for (double angle = 1e-9; angle < 1; angle *= 1.37) {
        const double twist[6] = {3e6, -4e6, 5e6, 0.6 * angle, 0, -0.8 * angle};
        struct rigid motion = rigid_exp(twist);
        double again[6];
        rigid_log(&motion, again);
        for (int i = 0; i < 6; i++) {
            double room = i < 3 ? 1e7 * 1e-15 * 8 : 1e-15;
            cr_assert_float_eq(again[i], twist[i], room, "angle %g, %d: %.17g", angle, i, again[i]);
        }
    }
}

Test(rigid, opposite_quaternions_are_one_motion)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct rigid motion = any_motion(), opposite = motion;
        for (int i = 0; i < 4; i++)
            opposite.rotation[i] = -motion.rotation[i];
        double twist[6], other[6];
        rigid_log(&motion, twist);
        rigid_log(&opposite, other);
        expect_numbers(twist, other, 6);
        expect_same(&motion, &opposite);
    }
}

Test(rigid, adjoint_takes_a_twist_from_the_right_to_the_left)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct rigid motion = any_motion();
        double adjoint[36], twist[6], carried[6];
        for (int i = 0; i < 6; i++)
            twist[i] = any_number(-0.5, 0.5);
        rigid_adjoint(&motion, adjoint);
        for (int row = 0; row < 6; row++) {
            carried[row] = 0;
            for (int i = 0; i < 6; i++)
                carried[row] += adjoint[row * 6 + i] * twist[i];
        }
        struct rigid small = rigid_exp(twist), left = rigid_exp(carried);
        struct rigid expected = rigid_compose(&motion, &small);
        struct rigid actual = rigid_compose(&left, &motion);
        expect_same(&expected, &actual);
    }
}

Test(rigid, covariance_carried_there_and_back_is_the_same)
{
    for (int round = 0; round < 100; round++) {
        struct rigid there = any_motion(), back = rigid_invert(&there);
        double covariance[36] = {0}, carried[36];
        for (int i = 0; i < 6; i++)
            covariance[i * 6 + i] = any_number(0.1, 1);
        rigid_carry_covariance(&there, covariance, carried);
        for (int i = 0; i < 36; i++)
            cr_assert_eq(carried[i], carried[i % 6 * 6 + i / 6]);
        rigid_carry_covariance(&back, carried, carried);
        expect_numbers(covariance, carried, 36);
    }
}

Test(rigid, rotation_has_a_lever_beside_its_axis_and_none_on_it)
{
    double covariance[36] = {0}, sigma_t_m, sigma_r_rad;
    const double on_axis[3] = {0, 5, 0}, beside[3] = {3, 7, 4};
    covariance[4 * 7] = 0.01; // about y alone
    rigid_sigmas_at(covariance, on_axis, &sigma_t_m, &sigma_r_rad);
    cr_assert_float_eq(sigma_t_m, 0, 1e-15);
    cr_assert_float_eq(sigma_r_rad, sqrt(0.01 / 3), 1e-15);
    rigid_sigmas_at(covariance, beside, &sigma_t_m, &sigma_r_rad);
    cr_assert_float_eq(sigma_t_m, sqrt(0.01 * 25 / 3), 1e-15);
}

Test(rigid, pose_of_a_device_comes_back_as_it_was_sent)
{
    for (int round = 0; round < ROUNDS; round++) {
        const double translation[3] = {any_number(-9, 9), any_number(-9, 9), any_number(-9, 9)};
        const double euler[3] = {any_number(-3.1, 3.1), any_number(-1.5, 1.5),
                                 any_number(-3.1, 3.1)};
        struct rigid motion = rigid_of_device_pose(translation, euler);
        double translation_again[3], euler_again[3];
        rigid_to_device_pose(&motion, translation_again, euler_again);
        expect_numbers(translation, translation_again, 3);
        expect_numbers(euler, euler_again, 3);
    }
}

// Elements of a rotation that was a quaternion are off by rounding, those that should vanish too:
// near the lock the angles must make up for each other's errors.
Test(rigid, motion_survives_poses_near_gimbal_lock)
{
    for (int tenth = 0; tenth <= 160; tenth++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int round = 0; round < 20; round++) {
                double off = tenth == 160 ? 0 : pow(10, -tenth / 10.0);
                const double origin[3] = {0, 0, 0};
                const double euler[3] = {any_number(-PI, PI), sign * (PI / 2 - off),
                                         any_number(-PI, PI)};
                struct rigid motion = rigid_of_device_pose(origin, euler);
                double translation[3], angles[3];
                rigid_to_device_pose(&motion, translation, angles);
                struct rigid again = rigid_of_device_pose(translation, angles);
                expect_same(&motion, &again);
            }
}

Test(rigid, matrix_comes_back_as_the_motion)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct rigid motion = any_motion(), again;
        double matrix[16];
        rigid_to_matrix(&motion, matrix);
        cr_assert(rigid_of_matrix(matrix, &again));
        expect_same(&motion, &again);
    }
}

Test(rigid, matrix_that_is_no_rigid_motion_is_refused)
{
    static const struct {
        int place;
        double value;
    } faults[] = {{0, 2}, {0, -1}, {1, 0.5}, {3, NAN}, {7, INFINITY}, {12, 0.1}, {15, 2}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        double matrix[16];
        struct rigid untouched = rigid_identity;
        transform_identity(matrix);
        matrix[faults[i].place] = faults[i].value;
        cr_expect_not(rigid_of_matrix(matrix, &untouched), "fault %zu", i);
    }
}
