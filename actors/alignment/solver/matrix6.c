// matrix6.c - products and the Cholesky decomposition of 6x6 matrices (matrix6.h).
#include "actors/alignment/solver/matrix6.h"

#include <math.h>
#include <string.h>

void
matrix6_multiply(const double *a, const double *b, double *ret_product)
{
    for (int row = 0; row < 6; row++) {
        double sums[6] = {0};
        for (int i = 0; i < 6; i++)
            for (int column = 0; column < 6; column++)
                sums[column] += a[row * 6 + i] * b[i * 6 + column];
        memcpy(ret_product + row * 6, sums, sizeof sums);
    }
}

void
matrix6_pull(const double *jacobian, const double *matrix, double *ret_pulled)
{
    double half[36], pulled[36] = {0};
    matrix6_multiply(matrix, jacobian, half);
    for (int i = 0; i < 6; i++)
        for (int row = 0; row < 6; row++)
            for (int column = 0; column < 6; column++)
                pulled[row * 6 + column] += jacobian[i * 6 + row] * half[i * 6 + column];
    memcpy(ret_pulled, pulled, sizeof pulled);
}

void
matrix6_apply(const double *matrix, const double *vector, double *ret_product)
{
    for (int row = 0; row < 6; row++) {
        double sum = 0;
        for (int i = 0; i < 6; i++)
            sum += matrix[row * 6 + i] * vector[i];
        ret_product[row] = sum;
    }
}

double
matrix6_form(const double *matrix, const double *vector)
{
    double product[6], sum = 0;
    matrix6_apply(matrix, vector, product);
    for (int i = 0; i < 6; i++)
        sum += vector[i] * product[i];
    return sum;
}

void
matrix6_add(double *self, double factor, const double *other)
{
    for (int i = 0; i < MATRIX6_SIZE; i++)
        self[i] += factor * other[i];
}

// The lower triangle of M = L L^T. Translations and rotations have different units, so a pivot is
// compared with the diagonal that it began as.
static bool
decompose(const double *matrix, double *ret_lower)
{
    for (int column = 0; column < 6; column++)
        for (int row = column; row < 6; row++) {
            double sum = matrix[row * 6 + column];
            for (int i = 0; i < column; i++)
                sum -= ret_lower[row * 6 + i] * ret_lower[column * 6 + i];
            if (row > column)
                ret_lower[row * 6 + column] = sum / ret_lower[column * 7];
            else if (sum > 1e-15 * fabs(matrix[column * 7]) && isfinite(sum))
                ret_lower[column * 7] = sqrt(sum);
            else
                return false;
        }
    return true;
}

static void
substitute(const double *lower, const double *vector, double *ret_solution)
{
    double middle[6];
    for (int row = 0; row < 6; row++) {
        double sum = vector[row];
        for (int i = 0; i < row; i++)
            sum -= lower[row * 6 + i] * middle[i];
        middle[row] = sum / lower[row * 7];
    }
    for (int row = 5; row >= 0; row--) {
        double sum = middle[row];
        for (int i = row + 1; i < 6; i++)
            sum -= lower[i * 6 + row] * ret_solution[i];
        ret_solution[row] = sum / lower[row * 7];
    }
}

bool
matrix6_solve(const double *matrix, const double *vector, double *ret_solution)
{
    double lower[36];
    if (!decompose(matrix, lower))
        return false;
    substitute(lower, vector, ret_solution);
    return true;
}

bool
matrix6_chi_square(const double *matrix, const double *vector, double *ret_chi_square)
{
    double solved[6], sum = 0;
    if (!matrix6_solve(matrix, vector, solved))
        return false;
    for (int i = 0; i < 6; i++)
        sum += vector[i] * solved[i];
    *ret_chi_square = sum;
    return true;
}

bool
matrix6_invert(const double *matrix, double *ret_inverse)
{
    double lower[36], rows[36];
    if (!decompose(matrix, lower))
        return false;
    for (int i = 0; i < 6; i++) {
        double unit[6] = {0};
        unit[i] = 1;
        substitute(lower, unit, rows + i * 6);
    }
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            ret_inverse[row * 6 + column] = (rows[row * 6 + column] + rows[column * 6 + row]) / 2;
    return true;
}
