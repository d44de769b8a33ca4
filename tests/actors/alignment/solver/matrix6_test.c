// matrix6_test.c - 6x6 matrices against small examples done by hand.
#include "actors/alignment/solver/matrix6.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// Tells a place from its transpose: 10 * row + column.
static void
places(double *ret_matrix)
{
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            ret_matrix[row * 6 + column] = 10 * row + column;
}

static void
diagonal(double *ret_matrix, double first)
{
    memset(ret_matrix, 0, MATRIX6_SIZE * sizeof *ret_matrix);
    for (int i = 0; i < 6; i++)
        ret_matrix[i * 7] = first + i;
}

// Symmetric and positive definite: each pivot outweighs its row.
static void
definite(double *ret_matrix)
{
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            ret_matrix[row * 6 + column] = row == column ? 10 + row : 1.0 / (1 + row + column);
}

static void
assert_near(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        cr_assert_float_eq(a[i], b[i], 1e-12, "%d: %.17g %.17g", i, a[i], b[i]);
}

Test(matrix6, a_product_has_rows_of_the_first_and_columns_of_the_second)
{
    double a[36], b[36], product[36];
    places(a);
    diagonal(b, 1);
    matrix6_multiply(a, b, product);
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            cr_assert_eq(product[row * 6 + column], (10 * row + column) * (1 + column));
}

Test(matrix6, a_matrix_applied_to_a_unit_vector_is_its_column)
{
    double matrix[36], product[6];
    const double unit[6] = {[2] = 1};
    places(matrix);
    matrix6_apply(matrix, unit, product);
    for (int row = 0; row < 6; row++)
        cr_assert_eq(product[row], 10 * row + 2);
}

Test(matrix6, a_form_of_a_diagonal_matrix_is_a_weighted_sum_of_squares)
{
    double matrix[36];
    const double vector[6] = {1, -1, 2, 0, 0, 3};
    diagonal(matrix, 1);
    cr_assert_eq(matrix6_form(matrix, vector), 1 + 2 + 3 * 4 + 6 * 9);
}

Test(matrix6, a_pull_is_the_transpose_times_matrix_times_jacobian)
{
    double jacobian[36], matrix[36], pulled[36], transposed[36], half[36], product[36];
    places(jacobian);
    definite(matrix);
    matrix6_pull(jacobian, matrix, pulled);
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            transposed[row * 6 + column] = jacobian[column * 6 + row];
    matrix6_multiply(transposed, matrix, half);
    matrix6_multiply(half, jacobian, product);
    for (int i = 0; i < 36; i++)
        cr_assert_float_eq(pulled[i], product[i], 1e-9 * (1 + fabs(product[i])));
}

Test(matrix6, adding_weighs_the_other)
{
    double sum[36], other[36];
    diagonal(sum, 1);
    places(other);
    matrix6_add(sum, -2, other);
    cr_assert_eq(sum[0], 1);
    cr_assert_eq(sum[7], 2 - 2 * 11);
    cr_assert_eq(sum[6], -2 * 10);
}

Test(matrix6, a_solution_solves)
{
    double matrix[36], solution[6], back[6];
    const double vector[6] = {1, 2, 3, 4, 5, 6};
    definite(matrix);
    cr_assert(matrix6_solve(matrix, vector, solution));
    matrix6_apply(matrix, solution, back);
    assert_near(back, vector, 6);
}

Test(matrix6, an_inverse_is_symmetric_and_its_product_is_one)
{
    double matrix[36], inverse[36], product[36], one[36] = {0};
    definite(matrix);
    cr_assert(matrix6_invert(matrix, inverse));
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            cr_assert_eq(inverse[row * 6 + column], inverse[column * 6 + row]);
    for (int i = 0; i < 6; i++)
        one[i * 7] = 1;
    matrix6_multiply(matrix, inverse, product);
    assert_near(product, one, 36);
}

Test(matrix6, small_units_of_some_rows_do_not_make_a_matrix_singular)
{
    double matrix[36], inverse[36];
    diagonal(matrix, 1);
    matrix[7] = 1e-14;
    cr_assert(matrix6_invert(matrix, inverse));
    cr_assert_float_eq(inverse[7], 1e14, 1);
}

Test(matrix6, what_is_not_positive_definite_is_refused_and_nothing_is_written)
{
    double matrix[36], inverse[36] = {[0] = 5}, solution[6] = {[0] = 5};
    const double vector[6] = {1};
    static const double pivots[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof pivots / sizeof *pivots; i++) {
        diagonal(matrix, 1);
        matrix[14] = pivots[i];
        cr_assert_not(matrix6_invert(matrix, inverse), "%g", pivots[i]);
        cr_assert_not(matrix6_solve(matrix, vector, solution), "%g", pivots[i]);
    }
    cr_assert_eq(inverse[0], 5);
    cr_assert_eq(solution[0], 5);
}

Test(matrix6, chi_square_divides_squares_by_variances)
{
    double matrix[36], chi_square = 7;
    const double vector[6] = {2, 0, 0, 0, 0, 3};
    diagonal(matrix, 4);
    cr_assert(matrix6_chi_square(matrix, vector, &chi_square));
    cr_assert_float_eq(chi_square, 2, 1e-12);
    diagonal(matrix, 0);
    cr_assert_not(matrix6_chi_square(matrix, vector, &chi_square));
    cr_assert_float_eq(chi_square, 2, 1e-12);
}
