// matrix3_test.c - products of matrices of 3 × 3, and where a result is one of its operands.
#include "proto/spatial/matrix3.h"

#include <criterion/criterion.h>
#include <string.h>

static const double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static const double b[9] = {0, 1, 0, 0, 0, 2, 3, 0, 0};

static void
expect_numbers(const double *expected, const double *actual, size_t count)
{
    cr_expect_arr_eq(actual, expected, count * sizeof *expected);
}

Test(matrix3, the_right_matrix_acts_first)
{
    static const double expected[9] = {9, 1, 4, 18, 4, 10, 27, 7, 16};
    double product[9];
    matrix3_multiply(a, b, product);
    expect_numbers(expected, product, 9);
}

Test(matrix3, a_product_may_take_the_place_of_either_matrix)
{
    static const double expected[9] = {9, 1, 4, 18, 4, 10, 27, 7, 16};
    double left[9], right[9];
    memcpy(left, a, sizeof left);
    memcpy(right, b, sizeof right);
    matrix3_multiply(left, b, left);
    matrix3_multiply(a, right, right);
    expect_numbers(expected, left, 9);
    expect_numbers(expected, right, 9);
}

Test(matrix3, rows_become_columns)
{
    static const double expected[9] = {1, 4, 7, 2, 5, 8, 3, 6, 9};
    double matrix[9];
    memcpy(matrix, a, sizeof matrix);
    matrix3_transpose(matrix);
    expect_numbers(expected, matrix, 9);
}

Test(matrix3, a_column_is_multiplied_from_the_left)
{
    static const double expected[3] = {8, 17, 26};
    double vector[3] = {1, -1, 3};
    matrix3_rotate(a, vector, vector);
    expect_numbers(expected, vector, 3);
}
