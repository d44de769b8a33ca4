// transform_test.c - the arithmetic of object and device transforms. Expected matrices are products
// of elementary rotations made here, so an error in the closed forms cannot hide; random cases come
// from a fixed seed.
#include "proto/spatial/transform.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "proto/spatial/matrix3.h"

#define EXACT 1e-9 // of properties; values here are around 1
#define ROUNDS 1000

struct axis_turn {
    int axis;
    double angle;
};

static uint64_t seed;

// splitmix64, as a number in [low, high).
static double
any_number(double low, double high)
{
    uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0);
}

static void
any_vector(double low, double high, double *ret_vector)
{
    for (int i = 0; i < 3; i++)
        ret_vector[i] = any_number(low, high);
}

// A right-handed turn about axis 0 = x, 1 = y, 2 = z.
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

static void
product_of_turns(const struct axis_turn *turns, double *ret_rotation)
{
    turn(turns[0].axis, turns[0].angle, ret_rotation);
    for (int i = 1; i < 3; i++) {
        double next[9];
        turn(turns[i].axis, turns[i].angle, next);
        matrix3_multiply(ret_rotation, next, ret_rotation);
    }
}

static void
multiply_quaternions(const double *p, const double *q, double *ret_product)
{
    const double product[4] = {
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    };
    memcpy(ret_product, product, sizeof product);
}

// The quaternion of Ry * Rx * Rz.
static void
quaternion_of_object_euler(const double *euler, double *ret_quaternion)
{
    const double x[4] = {cos(euler[0] / 2), sin(euler[0] / 2), 0, 0};
    const double y[4] = {cos(euler[1] / 2), 0, sin(euler[1] / 2), 0};
    const double z[4] = {cos(euler[2] / 2), 0, 0, sin(euler[2] / 2)};
    multiply_quaternions(y, x, ret_quaternion);
    multiply_quaternions(ret_quaternion, z, ret_quaternion);
}

static void
assert_near(const double *actual, const double *expected, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        cr_assert(fabs(actual[i] - expected[i]) <= tolerance, "number %d is %.17g, not %.17g", i,
                  actual[i], expected[i]);
}

static void
compose_parts(const double *translation, const double *euler, const double *scale,
              double *ret_matrix)
{
    double rotation[9];
    rotation_of_object_euler(euler, rotation);
    struct transform_parts parts = {
        .translation = translation, .rotation = rotation, .scale = scale};
    transform_compose(&parts, NULL, ret_matrix);
}

// Rotation and scale sent to the stored matrix, translation not; each must become the expected.
static void
assert_counts_as_identity(const double *stored)
{
    const double scale[3] = {2, 3, 4};
    const double scaled[16] = {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1};
    double matrix[16];
    transform_compose(&(struct transform_parts){.scale = scale}, stored, matrix);
    assert_near(matrix, scaled, 16, 0);

    const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    const double turned[16] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    transform_compose(&(struct transform_parts){.rotation = quarter}, stored, matrix);
    assert_near(matrix, turned, 16, EXACT);
}

Test(transform, test_vector_of_the_decisions)
{
    const double translation[3] = {1, 2, 3}, euler[3] = {0.1, 0.2, 0.3}, scale[3] = {2, 3, 4};
    const double expected[16] = {1.884309,  -0.812044, 0.790707,  1,        0.588088, 2.851691,
                                 -0.399334, 2,         -0.321763, 0.456553, 3.900681, 3,
                                 0,         0,         0,         1};
    double matrix[16];
    compose_parts(translation, euler, scale, matrix);
    assert_near(matrix, expected, 16, 1e-6);
}

Test(transform, nothing_sent_on_create_is_the_identity)
{
    const double expected[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double matrix[16];
    transform_compose(&(struct transform_parts){0}, NULL, matrix);
    assert_near(matrix, expected, 16, 0);
}

Test(transform, object_euler_angles_are_y_then_x_then_z)
{
    seed = 1;
    for (int i = 0; i < ROUNDS; i++) {
        double euler[3], rotation[9], expected[9];
        any_vector(-7, 7, euler);
        rotation_of_object_euler(euler, rotation);
        product_of_turns((struct axis_turn[]){{1, euler[1]}, {0, euler[0]}, {2, euler[2]}},
                         expected);
        assert_near(rotation, expected, 9, EXACT);
    }
}

Test(transform, device_euler_angles_are_x_then_y_then_z)
{
    seed = 2;
    for (int i = 0; i < ROUNDS; i++) {
        double euler[3], rotation[9], expected[9];
        any_vector(-7, 7, euler);
        rotation_of_device_euler(euler, rotation);
        product_of_turns((struct axis_turn[]){{0, euler[0]}, {1, euler[1]}, {2, euler[2]}},
                         expected);
        assert_near(rotation, expected, 9, EXACT);
    }
}

Test(transform, quaternion_and_euler_angles_of_one_turn_agree)
{
    seed = 3;
    for (int i = 0; i < ROUNDS; i++) {
        double euler[3], quaternion[4], by_quaternion[9], by_euler[9];
        any_vector(-7, 7, euler);
        quaternion_of_object_euler(euler, quaternion);
        rotation_of_quaternion(quaternion, by_quaternion);
        rotation_of_object_euler(euler, by_euler);
        assert_near(by_quaternion, by_euler, 9, EXACT);
    }
}

Test(transform, quaternion_is_normalised)
{
    const double half[4] = {0.3, -0.3, 0.3, 0.3}, unit[4] = {0.5, -0.5, 0.5, 0.5};
    double of_half[9], of_unit[9];
    rotation_of_quaternion(half, of_half);
    rotation_of_quaternion(unit, of_unit);
    assert_near(of_half, of_unit, 9, EXACT);
}

Test(transform, half_turn_by_quaternion_turns)
{
    const double about_z[4] = {0, 0, 0, 1};
    const double expected[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    double rotation[9];
    rotation_of_quaternion(about_z, rotation);
    assert_near(rotation, expected, 9, 0);
}

Test(transform, quaternion_norms_from_a_half_to_two_are_usable)
{
    cr_assert(quaternion_is_usable((double[]){0.5, 0, 0, 0}));
    cr_assert(quaternion_is_usable((double[]){0, 0, -2, 0}));
    cr_assert(quaternion_is_usable((double[]){1, 1, 1, 1}));
    cr_assert_not(quaternion_is_usable((double[]){0.49999, 0, 0, 0}));
    cr_assert_not(quaternion_is_usable((double[]){0, 2.00001, 0, 0}));
    cr_assert_not(quaternion_is_usable((double[]){0, 0, 0, 0}));
    cr_assert_not(quaternion_is_usable((double[]){NAN, 0, 0, 1}));
    cr_assert_not(quaternion_is_usable((double[]){INFINITY, 0, 0, 0}));
}

Test(transform, rotation_wins_over_the_quaternion)
{
    const double rotation[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, quaternion[4] = {0, 1, 0, 0};
    const double expected[16] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double matrix[16];
    transform_compose(&(struct transform_parts){.rotation = rotation, .quaternion = quaternion},
                      NULL, matrix);
    assert_near(matrix, expected, 16, EXACT);
}

Test(transform, matrix_wins_over_all_parts)
{
    const double ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double three[3] = {5, 6, 7}, quaternion[4] = {0, 1, 0, 0};
    struct transform_parts parts = {.matrix = ones,
                                    .translation = three,
                                    .rotation = ones,
                                    .quaternion = quaternion,
                                    .scale = three};
    double matrix[16];
    transform_compose(&parts, NULL, matrix);
    assert_near(matrix, ones, 16, 0);
}

Test(transform, composed_matrix_survives_decomposition)
{
    seed = 4;
    for (int i = 0; i < ROUNDS; i++) {
        double translation[3], euler[3], scale[3], matrix[16];
        any_vector(-100, 100, translation);
        any_vector(-7, 7, euler);
        for (int axis = 0; axis < 3; axis++) // mirrored in about half of the cases
            scale[axis] = any_number(0.01, 10) * (any_number(0, 1) < 0.5 ? -1 : 1);
        compose_parts(translation, euler, scale, matrix);

        double t[3], r[9], s[3], again[16];
        cr_assert(transform_decompose(matrix, t, r, s));
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++)
                again[row * 4 + column] = r[row * 3 + column] * s[column];
            again[row * 4 + 3] = t[row];
        }
        memcpy(&again[12], (double[]){0, 0, 0, 1}, 4 * sizeof(double));
        assert_near(again, matrix, 16, EXACT);
    }
}

Test(transform, decomposition_gives_back_positive_scales_and_the_rotation)
{
    seed = 5;
    for (int i = 0; i < ROUNDS; i++) {
        double translation[3], euler[3], scale[3], rotation[9], matrix[16], t[3], r[9], s[3];
        any_vector(-100, 100, translation);
        any_vector(-7, 7, euler);
        any_vector(0.01, 10, scale);
        compose_parts(translation, euler, scale, matrix);
        rotation_of_object_euler(euler, rotation);
        cr_assert(transform_decompose(matrix, t, r, s));
        assert_near(t, translation, 3, 0);
        assert_near(r, rotation, 9, EXACT);
        assert_near(s, scale, 3, EXACT);
    }
}

Test(transform, mirrored_matrix_has_a_negative_first_scale)
{
    const double mirrored[16] = {2, 0, 0, 1, 0, -3, 0, 2, 0, 0, 4, 3, 0, 0, 0, 1};
    const double half_turn[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    double t[3], r[9], s[3];
    cr_assert(transform_decompose(mirrored, t, r, s));
    assert_near(t, (double[]){1, 2, 3}, 3, 0);
    assert_near(r, half_turn, 9, 0);
    assert_near(s, (double[]){-2, 3, 4}, 3, 0);
}

Test(transform, tiny_and_huge_scales_decompose)
{
    const double extreme[16] = {1e-200, 0, 0, 0, 0, 1e200, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double unturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double t[3], r[9], s[3];
    cr_assert(transform_decompose(extreme, t, r, s));
    assert_near(r, unturned, 9, 0);
    assert_near(s, (double[]){1e-200, 1e200, 1}, 3, 0);
}

Test(transform, single_precision_rotation_is_not_sheared)
{
    double euler[3] = {0.3, -1.1, 2.2}, matrix[16], t[3], r[9], s[3];
    compose_parts(NULL, euler, (double[]){1, 20, 300}, matrix);
    for (int i = 0; i < 16; i++)
        matrix[i] = (double)(float)matrix[i];
    cr_assert(transform_decompose(matrix, t, r, s));
}

Test(transform, refused_decomposition_leaves_its_outputs_alone)
{
    const double sheared[16] = {1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double t[3] = {9, 9, 9}, r[9] = {9}, s[3] = {9, 9, 9};
    cr_assert_not(transform_decompose(sheared, t, r, s));
    assert_near(t, (double[]){9, 9, 9}, 3, 0);
    assert_near(r, (double[]){9, 0, 0, 0, 0, 0, 0, 0, 0}, 9, 0);
    assert_near(s, (double[]){9, 9, 9}, 3, 0);
}

Test(transform, translation_alone_replaces_just_the_fourth_column)
{
    double stored[16], expected[16], matrix[16];
    for (int i = 0; i < 16; i++)
        stored[i] = expected[i] = i + 1; // singular and not affine: nothing to decompose
    expected[3] = -1, expected[7] = -2, expected[11] = -3;
    const double translation[3] = {-1, -2, -3};
    transform_compose(&(struct transform_parts){.translation = translation}, stored, matrix);
    assert_near(matrix, expected, 16, 0);
}

Test(transform, rotation_alone_keeps_translation_and_scale)
{
    const double translation[3] = {1, 2, 3}, scale[3] = {-2, 3, 4};
    const double before[3] = {0.1, 0.2, 0.3}, after[3] = {-0.4, 0.5, 2.5};
    double stored[16], expected[16], matrix[16], rotation[9];
    compose_parts(translation, before, scale, stored);
    compose_parts(translation, after, scale, expected);
    rotation_of_object_euler(after, rotation);
    transform_compose(&(struct transform_parts){.rotation = rotation}, stored, matrix);
    assert_near(matrix, expected, 16, EXACT);
}

Test(transform, quaternion_alone_keeps_translation_and_scale)
{
    const double translation[3] = {1, 2, 3}, scale[3] = {2, 3, 4};
    const double before[3] = {0.1, 0.2, 0.3}, after[3] = {-0.4, 0.5, 2.5};
    double stored[16], expected[16], matrix[16], quaternion[4];
    compose_parts(translation, before, scale, stored);
    compose_parts(translation, after, scale, expected);
    quaternion_of_object_euler(after, quaternion);
    transform_compose(&(struct transform_parts){.quaternion = quaternion}, stored, matrix);
    assert_near(matrix, expected, 16, EXACT);
}

Test(transform, scale_alone_keeps_translation_and_rotation)
{
    const double translation[3] = {1, 2, 3}, euler[3] = {0.1, 0.2, 0.3};
    const double before[3] = {2, 3, 4}, after[3] = {0.5, -6, 7};
    double stored[16], expected[16], matrix[16];
    compose_parts(translation, euler, before, stored);
    compose_parts(translation, euler, after, expected);
    transform_compose(&(struct transform_parts){.scale = after}, stored, matrix);
    assert_near(matrix, expected, 16, EXACT);
}

Test(transform, translation_and_scale_together_keep_the_rotation)
{
    const double euler[3] = {0.1, 0.2, 0.3}, translation[3] = {7, 8, 9}, scale[3] = {5, 6, 7};
    double stored[16], expected[16], matrix[16];
    compose_parts((double[]){1, 2, 3}, euler, (double[]){2, 3, 4}, stored);
    compose_parts(translation, euler, scale, expected);
    transform_compose(&(struct transform_parts){.translation = translation, .scale = scale}, stored,
                      matrix);
    assert_near(matrix, expected, 16, EXACT);
}

Test(transform, nothing_sent_on_update_keeps_the_stored_matrix)
{
    const double ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    double matrix[16];
    transform_compose(&(struct transform_parts){0}, ones, matrix);
    assert_near(matrix, ones, 16, 0);
}

Test(transform, missing_parts_of_a_sheared_matrix_are_the_identity)
{
    assert_counts_as_identity((double[]){1, 0.01, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1});
}

Test(transform, missing_parts_of_a_singular_matrix_are_the_identity)
{
    assert_counts_as_identity((double[]){2, 0, 0, 5, 0, 0, 0, 6, 0, 0, 2, 7, 0, 0, 0, 1});
    assert_counts_as_identity((double[]){1, 1, 1, 5, 1, 1, 1, 6, 1, 1, 1, 7, 0, 0, 0, 1});
}

Test(transform, missing_parts_of_a_matrix_that_is_not_affine_are_the_identity)
{
    assert_counts_as_identity((double[]){2, 0, 0, 5, 0, 2, 0, 6, 0, 0, 2, 7, 0, 0, 0.1, 1});
    assert_counts_as_identity((double[]){2, 0, 0, 5, 0, 2, 0, 6, 0, 0, 2, 7, 0, 0, 0, 2});
    assert_counts_as_identity((double[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
}

Test(transform, stored_matrix_may_be_overwritten_in_place)
{
    const double translation[3] = {4, 5, 6}, scale[3] = {2, 2, 2};
    const double expected[16] = {2, 0, 0, 4, 0, 2, 0, 5, 0, 0, 2, 6, 0, 0, 0, 1};
    double matrix[16];
    transform_identity(matrix);
    transform_compose(&(struct transform_parts){.translation = translation}, matrix, matrix);
    transform_compose(&(struct transform_parts){.scale = scale}, matrix, matrix);
    assert_near(matrix, expected, 16, 0);
}

// --- and back to angles and quaternions ---

// Both orders: with the middle angle at a right angle the others are not unique, the rotation is.
static void
expect_rotation_survives(const double *euler, void (*of_euler)(const double *, double *),
                         void (*to_euler)(const double *, double *))
{
    double rotation[9], again[9], angles[3];
    of_euler(euler, rotation);
    to_euler(rotation, angles);
    of_euler(angles, again);
    assert_near(again, rotation, 9, EXACT);
}

Test(transform, rotation_survives_gimbal_lock)
{
    static const double off[] = {0, 1e-12, 1e-9, 1e-6, 1e-3};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double right = sign * (M_PI / 2 - off[i]);
            const double device[3] = {0.7, right, -1.1}, object[3] = {right, 0.7, -1.1};
            expect_rotation_survives(device, rotation_of_device_euler, rotation_to_device_euler);
            expect_rotation_survives(object, rotation_of_object_euler, rotation_to_object_euler);
        }
}

Test(transform, object_rotation_survives_as_a_quaternion_near_gimbal_lock)
{
    for (int tenth = 0; tenth <= 160; tenth++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int round = 0; round < 20; round++) {
                double off = tenth == 160 ? 0 : pow(10, -tenth / 10.0);
                const double euler[3] = {sign * (M_PI / 2 - off), any_number(-M_PI, M_PI),
                                         any_number(-M_PI, M_PI)};
                double rotation[9], quaternion[4], angles[3], again[9];
                rotation_of_object_euler(euler, rotation);
                quaternion_of_rotation(rotation, quaternion);
                rotation_of_quaternion(quaternion, rotation);
                rotation_to_object_euler(rotation, angles);
                rotation_of_object_euler(angles, again);
                assert_near(again, rotation, 9, EXACT);
            }
}

Test(transform, object_angles_come_back_as_they_were)
{
    for (int round = 0; round < ROUNDS; round++) {
        const double euler[3] = {any_number(-1.5, 1.5), any_number(-3.1, 3.1),
                                 any_number(-3.1, 3.1)};
        double rotation[9], again[3];
        rotation_of_object_euler(euler, rotation);
        rotation_to_object_euler(rotation, again);
        assert_near(again, euler, 3, EXACT);
    }
}

Test(transform, half_turns_become_quaternions)
{
    for (int axis = 0; axis < 3; axis++) {
        double rotation[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1}, expected[4] = {0}, actual[4];
        rotation[axis * 4] = 1;
        expected[axis + 1] = 1;
        quaternion_of_rotation(rotation, actual);
        assert_near(actual, expected, 4, EXACT);
    }
}

Test(transform, the_angles_of_no_rotation_have_no_sign)
{
    const double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, none[3] = {0, 0, 0};
    double device[3], object[3];
    rotation_to_device_euler(rotation, device);
    rotation_to_object_euler(rotation, object);
    cr_assert_arr_eq(device, none, sizeof none); // bit by bit
    cr_assert_arr_eq(object, none, sizeof none);
}
