// matrix3.c - matrices of 3 × 3 (matrix3.h). Pure; any thread.
#include "proto/spatial/matrix3.h"

#include <string.h>

void
matrix3_multiply(const double *a, const double *b, double *ret_product)
{
    double product[9];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            product[row * 3 + column] = a[row * 3] * b[column] + a[row * 3 + 1] * b[3 + column] +
                                        a[row * 3 + 2] * b[6 + column];
    memcpy(ret_product, product, sizeof product);
}

void
matrix3_transpose(double *matrix)
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < row; column++) {
            double kept = matrix[row * 3 + column];
            matrix[row * 3 + column] = matrix[column * 3 + row];
            matrix[column * 3 + row] = kept;
        }
}

void
matrix3_rotate(const double *matrix, const double *vector, double *ret_vector)
{
    double rotated[3];
    for (int row = 0; row < 3; row++)
        rotated[row] = matrix[row * 3] * vector[0] + matrix[row * 3 + 1] * vector[1] +
                       matrix[row * 3 + 2] * vector[2];
    memcpy(ret_vector, rotated, sizeof rotated);
}
