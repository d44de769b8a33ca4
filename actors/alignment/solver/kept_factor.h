// kept_factor.h - the factor of a pose graph at its solution, kept for the next solution: what it
// says of how sure poses are, and how it leads the solve of a graph that is nearly the same. Pure.
// One that was created does not change; any number of threads may ask it.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_KEPT_FACTOR_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_KEPT_FACTOR_H

#include <stdbool.h>

#include "actors/alignment/solver/normal_equations.h"
#include "actors/alignment/solver/rigid.h"

// What all edges between two nodes say together: the sum of their weighted informations.
struct kept_pair {
    uint32_t from, to; // nodes of the graph
    double information[36];
};

typedef struct kept_factor kept_factor_t;

// Takes the frozen equations and the pairs. `poses` are those at which the matrix was factored; of
// node 0, which does not move, and of all others, `node_count` together. One reference.
kept_factor_t *kept_factor_create(normal_equations_t **normal, uint32_t node_count,
                                  const struct rigid *poses, struct kept_pair **pairs,
                                  size_t pair_count);
// Accepts NULL.
void kept_factor_destroy(kept_factor_t **self);

// The same factor, without what has changed since it was made. All copies share it.
kept_factor_t *kept_factor_copy(const kept_factor_t *self);

// The same for nodes whose coordinates begin `shifts` (three numbers a node) further on.
kept_factor_t *kept_factor_shift(const kept_factor_t *self, const double *shifts);

// The same factor for a graph with other pairs (any order). NULL if too much is different.
kept_factor_t *kept_factor_change(const kept_factor_t *self, struct kept_pair *pairs,
                                  size_t pair_count);

// The steps, six numbers for each node but the first, that the factor says what is pulled at
// `poses` leads to. Nearly those of a factor at `poses`: a step leaves a share of the way that is
// as small as what they moved by is beside what edges can tell.
void kept_factor_step(const kept_factor_t *self, const struct rigid *poses, const double *pulls,
                      double *ret_steps);

// Whether it was made for this very graph, at its solution or near it.
bool kept_factor_is_exact(const kept_factor_t *self);

// By how much poses have moved since the factor was made, as a share of what edges tell: variances
// of now are between 1 - 2 s and 1 + 2 s times those that it tells, or nearer.
double kept_factor_strain(const kept_factor_t *self, const struct rigid *poses);

// Whether it takes longer to be made anew than to lead a solve.
bool kept_factor_is_large(const kept_factor_t *self);

// How many numbers it has.
double kept_factor_entries(const kept_factor_t *self);

// The covariance of the motion from one node to another: twists on its left.
void kept_factor_covariance(const kept_factor_t *self, const struct rigid *poses, uint32_t from,
                            uint32_t to, double *ret_covariance);

#endif
