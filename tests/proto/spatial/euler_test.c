// euler_test.c - Euler angles in six orders, against products of three rotations made here.
#include "proto/spatial/euler.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "proto/spatial/matrix3.h"

TestSuite(euler);

enum { ROUNDS = 200 };

static double
any_angle(double most)
{
    return most * (2 * drand48() - 1);
}

// A right-handed turn about an axis.
static void
turn(int axis, double angle, double *ret_rotation)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    memset(ret_rotation, 0, 9 * sizeof(double));
    ret_rotation[axis * 4] = 1;
    ret_rotation[a * 4] = ret_rotation[b * 4] = cos(angle);
    ret_rotation[a * 3 + b] = -sin(angle);
    ret_rotation[b * 3 + a] = sin(angle);
}

// The letters of the name are the matrices from the left.
static void
product_of(const char *name, const double *euler, double *ret_rotation)
{
    turn(name[0] - 'X', euler[name[0] - 'X'], ret_rotation);
    for (int i = 1; i < 3; i++) {
        double next[9];
        turn(name[i] - 'X', euler[name[i] - 'X'], next);
        matrix3_multiply(ret_rotation, next, ret_rotation);
    }
}

static void
assert_near(const double *actual, const double *expected, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        cr_assert_float_eq(actual[i], expected[i], 1e-12, "%s %d: %g, not %g", name, i, actual[i],
                           expected[i]);
}

Test(euler, name_is_the_product_of_its_letters)
{
    srand48(1);
    for (size_t i = 0; i < EULER_ORDERS; i++)
        for (int round = 0; round < ROUNDS; round++) {
            const double euler[3] = {any_angle(M_PI), any_angle(M_PI), any_angle(M_PI)};
            double expected[9], actual[9];
            product_of(euler_orders[i].name, euler, expected);
            euler_to_rotation(&euler_orders[i], euler, actual);
            assert_near(actual, expected, 9, euler_orders[i].name);
        }
}

Test(euler, angles_come_back_where_the_middle_one_is_small)
{
    srand48(2);
    for (size_t i = 0; i < EULER_ORDERS; i++)
        for (int round = 0; round < ROUNDS; round++) {
            double euler[3] = {any_angle(3.1), any_angle(3.1), any_angle(3.1)}, rotation[9],
                   again[3];
            euler[euler_orders[i].axes[1]] = any_angle(1.4);
            euler_to_rotation(&euler_orders[i], euler, rotation);
            euler_of_rotation(&euler_orders[i], rotation, again);
            assert_near(again, euler, 3, euler_orders[i].name);
        }
}

Test(euler, rotation_survives_gimbal_lock)
{
    for (size_t i = 0; i < EULER_ORDERS; i++) {
        double euler[3] = {0.7, 0.7, 0.7}, rotation[9], angles[3], again[9];
        euler[euler_orders[i].axes[1]] = M_PI / 2;
        euler_to_rotation(&euler_orders[i], euler, rotation);
        euler_of_rotation(&euler_orders[i], rotation, angles);
        cr_assert_eq(angles[euler_orders[i].axes[0]], 0, "%s", euler_orders[i].name);
        euler_to_rotation(&euler_orders[i], angles, again);
        assert_near(again, rotation, 9, euler_orders[i].name);
    }
}

Test(euler, order_is_found_by_its_name_and_the_first_without_one)
{
    struct arena arena = {0};
    cr_assert_str_eq(euler_order_find(NULL)->name, "YXZ");
    cr_assert_str_eq(euler_order_find(text_from(&arena, "ZYX"))->name, "ZYX");
    cr_assert_null(euler_order_find(text_from(&arena, "zyx")));
    cr_assert_null(euler_order_find(text_from(&arena, "XYX")));
    arena_finish(&arena);
}
