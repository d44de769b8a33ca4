// factor_covariance.h - how sure a factor of normal equations makes the motion between two nodes.
// Pure; any number of threads may ask the same factor.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_FACTOR_COVARIANCE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_FACTOR_COVARIANCE_H

#include <stdint.h>

#include "actors/alignment/solver/sparse_functions.h"

// A factor L D L^T, borrowed, and where each row of the matrix stands in it.
struct factor_view {
    cholmod_factor *factor;
    const int *positions;
};

// The covariance of A x_a + B x_b (both 6x6, row-major), 36 numbers; a node may be NORMAL_FIXED.
void factor_covariance(const struct factor_view *self, uint32_t a, const double *jacobian_a,
                       uint32_t b, const double *jacobian_b, double *ret_covariance);

#endif
