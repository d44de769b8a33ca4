// transform_bytes_test.c - which matrices travel as parts, and how near they come back.

#include "proto/spatial/transform_bytes.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "proto/spatial/transform.h"
#include "tests/support/samples.h"

enum { ROUNDS = 20000 };

static unsigned char bytes[TRANSFORM_MATRIX_BYTES];

static double
number_between(struct random *random, double least, double most)
{
    return least + (most - least) * (double)random_below(random, 1000001) / 1000000;
}

// Its scale has any size from 1e-6 to 1e6; every other one is mirrored.
static void
any_parts(struct random *random, double *ret_matrix)
{
    double translation[3], quaternion[4], scale[3];
    do
        for (int i = 0; i < 4; i++)
            quaternion[i] = number_between(random, -1, 1);
    while (!quaternion_is_usable(quaternion));
    for (int i = 0; i < 3; i++) {
        translation[i] = random_number(random);
        scale[i] = pow(10, number_between(random, -6, 6));
    }
    scale[0] *= random_below(random, 2) ? 1 : -1;
    transform_compose(&(struct transform_parts){.translation = translation,
                                                .quaternion = quaternion,
                                                .scale = scale},
                      NULL, ret_matrix);
}

static double
column_length(const double *matrix, int column)
{
    return hypot(hypot(matrix[column], matrix[4 + column]), matrix[8 + column]);
}

Test(transform_bytes, parts_come_back_to_a_millionth)
{
    struct random random = {3};
    double matrix[16], again[16];
    for (int round = 0; round < ROUNDS; round++) {
        any_parts(&random, matrix);
        cr_assert_eq(transform_to_bytes(matrix, bytes), TRANSFORM_PARTS_BYTES);
        cr_assert(transform_from_bytes(bytes, TRANSFORM_PARTS_BYTES, again));
        for (int i = 0; i < 16; i++) {
            double allowed = i % 4 == 3 || i >= 12 ? 0 : 1e-6 * column_length(matrix, i % 4);
            cr_assert_leq(fabs(again[i] - matrix[i]), allowed * (1 + 1e-6), "element %d", i);
        }
    }
}

Test(transform_bytes, single_precision_clients_send_parts)
{
    struct random random = {4};
    double matrix[16];
    for (int round = 0; round < ROUNDS; round++) {
        any_parts(&random, matrix);
        for (int i = 0; i < 16; i++)
            if (i % 4 != 3)
                matrix[i] = (double)(float)matrix[i];
        cr_assert_eq(transform_to_bytes(matrix, bytes), TRANSFORM_PARTS_BYTES);
    }
}

static const double wholes[][16] = {
    {1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},                 // sheared
    {1, 5e-6, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},                // sheared a little
    {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},                   // singular
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                   // nothing
    {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 1},                 // not affine
    {1e300, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},               // too large
    {1e-300, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},              // too small
    {DBL_MAX, DBL_MAX, 0, 0, DBL_MAX, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, // beyond lengths
};

Test(transform_bytes, what_has_no_parts_comes_back_to_the_bit)
{
    double again[16];
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        cr_expect_eq(transform_to_bytes(wholes[i], bytes), TRANSFORM_MATRIX_BYTES, "row %zu", i);
        cr_expect(transform_from_bytes(bytes, TRANSFORM_MATRIX_BYTES, again));
        cr_expect_arr_eq(again, wholes[i], sizeof again);
    }
}

Test(transform_bytes, bytes_that_are_no_transform_are_refused)
{
    double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, untouched[16] = {7};
    size_t size = transform_to_bytes(matrix, bytes);
    for (size_t wrong = 0; wrong <= 128; wrong++)
        if (wrong != TRANSFORM_PARTS_BYTES && wrong != TRANSFORM_MATRIX_BYTES)
            cr_expect(!transform_from_bytes(bytes, wrong, untouched), "%zu bytes", wrong);
    memset(bytes + 24, 0, 16);
    cr_expect(!transform_from_bytes(bytes, size, untouched), "no quaternion");
    memset(bytes, 0xff, sizeof bytes);
    cr_expect(!transform_from_bytes(bytes, TRANSFORM_PARTS_BYTES, untouched), "not a number");
    cr_expect(!transform_from_bytes(bytes, TRANSFORM_MATRIX_BYTES, untouched), "not a number");
    cr_expect_eq(untouched[0], 7);
}
