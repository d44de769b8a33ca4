// factor_change.h - answers of a factor for a matrix that has changed since at few pairs of nodes
// (the identity of Sherman, Morrison and Woodbury). Pure; once created it does not change, so any
// number of threads may ask.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_FACTOR_CHANGE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_FACTOR_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "actors/alignment/solver/factor_covariance.h"

// The matrix has grown by J^T W J, where J = [A B] (6x6 each). W is symmetric and need not be
// positive: what was taken away is less than nothing.
struct factor_pair {
    uint32_t a, b; // nodes; may be NORMAL_FIXED
    double jacobian_a[36], jacobian_b[36], weight[36];
};

typedef struct factor_change factor_change_t;

// Borrows what the view is of. NULL if the matrix has no inverse any more.
factor_change_t *factor_change_create(const struct factor_view *view,
                                      const struct factor_pair *pairs, size_t count);
// Accepts NULL.
void factor_change_destroy(factor_change_t **self);

// Changes y = L^-1 r so that L^-T D^-1 y is the solution of the changed matrix for r.
void factor_change_apply(const factor_change_t *self, double *y);

// Takes from a covariance what the changes make of it.
void factor_change_covariance(const factor_change_t *self, const struct factor_columns *asked,
                              double *covariance);

#endif
