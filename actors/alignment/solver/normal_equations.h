// normal_equations.h - the normal equations of a pose graph: a sparse symmetric matrix of 6x6
// blocks, its factor, and what the factor answers. By CHOLMOD; of that the modules under the LGPL
// alone (Core, Cholesky). One thread; of a factor that is not changed any more, any number of
// threads may ask for covariances.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_NORMAL_EQUATIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_NORMAL_EQUATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actors/alignment/solver/effort.h"
#include "actors/alignment/solver/factor_covariance.h"
#include "actors/alignment/solver/normal_order.h"

// The place of a node that does not move: it is not part of the equations.
#define NORMAL_FIXED UINT32_MAX

// Two nodes with a block that is not zero.
struct normal_pair {
    uint32_t a, b; // below the count of nodes, or NORMAL_FIXED; not the same
};

typedef struct normal_equations normal_equations_t;

// Equations that are all zero, with the pattern of `pairs`; a pair may be there more than once.
// Finds an order of elimination with little fill-in, as good as the effort (NULL = without bounds)
// allows: the one that was `last` (NULL = nobody keeps it) where it still saves nearly as much.
normal_equations_t *normal_equations_create(uint32_t node_count, const struct normal_pair *pairs,
                                            size_t pair_count, struct normal_order *last,
                                            struct effort *effort);

// Accepts NULL.
void normal_equations_destroy(normal_equations_t **self);

// Sets the pulls to zero, and the matrix too if `with_matrix`.
void normal_equations_clear(normal_equations_t *self, bool with_matrix);

// Adds the blocks of pair `index`: of (a, a), (a, b) and (b, b).
void normal_equations_add(normal_equations_t *self, size_t index, const double *block_aa,
                          const double *block_ab, const double *block_bb);
// Adds what a pair pulls at its nodes.
void normal_equations_pull(normal_equations_t *self, size_t index, const double *pull_a,
                           const double *pull_b);

// Factors M + damping * diagonal of M. False if that is not positive definite, or if the effort
// (NULL = without bounds) is over before it is done. A factor that would take more than is left of
// it, or too much memory, exhausts it at once. There is no factor then.
bool normal_equations_factor(normal_equations_t *self, double damping, struct effort *effort);

// Whether the matrix of the last factor is positive definite: M = L D L^T is factored too where it
// is not, as long as no pivot is zero.
bool normal_equations_is_positive(const normal_equations_t *self);

// The x of M x = pull, six numbers a node, by the last factor.
void normal_equations_solve(normal_equations_t *self, double *ret_steps);

// What is pulled, six numbers a node: to be written in the place of normal_equations_pull.
double *normal_equations_pulls(normal_equations_t *self);

// The factor, borrowed.
struct factor_view normal_equations_view(const normal_equations_t *self);

// Operations that a factor takes, and how many entries it has.
double normal_equations_operations(const normal_equations_t *self);
double normal_equations_entries(const normal_equations_t *self);

// Frees everything but the factor.
void normal_equations_freeze(normal_equations_t *self);

// The covariance of A x_a + B x_b (both 6x6), by the last factor; a node may be NORMAL_FIXED.
void normal_equations_covariance(const normal_equations_t *self, uint32_t a,
                                 const double *jacobian_a, uint32_t b, const double *jacobian_b,
                                 double *ret_covariance);

#endif
