// factor_covariance.h - how sure a factor of normal equations makes the motion between two nodes.
// Pure; any number of threads may ask the same factor.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_FACTOR_COVARIANCE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_FACTOR_COVARIANCE_H

#include <stddef.h>
#include <stdint.h>

#include "actors/alignment/solver/sparse_functions.h"

// A factor L D L^T, borrowed, and where each row of the matrix stands in it.
struct factor_view {
    cholmod_factor *factor;
    const int *positions;
};

// Six columns Y that begin with the same rows: L Y = J^T, for J = [A B] of two nodes.
struct factor_columns {
    size_t count;   // of rows that are not zero
    int *rows;      // in the factor
    double *values; // six a row
};

// A and B are 6x6, row-major; a node may be NORMAL_FIXED. Yours.
void factor_columns_find(const struct factor_view *view, uint32_t a, const double *jacobian_a,
                         uint32_t b, const double *jacobian_b, struct factor_columns *ret_columns);
void factor_columns_finish(struct factor_columns *self);

// The pivot of a row of the factor.
double factor_pivot(const struct factor_view *view, int row);

// The covariance of A x_a + B x_b, 36 numbers: J M^-1 J^T = Y^T D^-1 Y.
void factor_columns_covariance(const struct factor_columns *self, const struct factor_view *view,
                               double *ret_covariance);

#endif
