// posegraph.h - poses from noisy relative motions: robust nonlinear least squares on SE(3). Pure.
// A node's pose maps its coordinates to those of the component; an edge says how the coordinates of
// two nodes relate: to^-1 * from. Node 0 is the gauge: it stays where it is.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_POSEGRAPH_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_POSEGRAPH_H

#include "actors/alignment/solver/kept_factor.h"
#include "actors/alignment/solver/rigid.h"

// The chi-square of six degrees of freedom that noise exceeds once in 100,000 times. Evidence
// beyond it is considered wrong, not noisy.
#define POSEGRAPH_GATE 33.11

struct posegraph_edge {
    uint32_t from, to;
    struct rigid motion;    // maps coordinates of `from` to those of `to`
    double information[36]; // inverse covariance of twists on the left of `motion`
    double weight;          // 0 = left out
    bool is_kept;           // never left out
};

struct posegraph {
    uint32_t node_count;
    struct rigid *poses; // the start, then the solution; borrowed
    struct posegraph_edge *edges;
    size_t edge_count;
    struct effort *effort;      // of all solves together, borrowed; NULL = without bounds
    struct normal_order *order; // of all solves together, borrowed; NULL = none is kept
    const kept_factor_t *known; // of a solution that may be near, borrowed; NULL = none
};

// The twist, in the coordinates of `to`, from the motion between the poses to that of the edge.
// Returns its chi-square.
double posegraph_residual(const struct rigid *poses, const struct posegraph_edge *edge,
                          double *ret_twist);

// Whether every edge that is not left out lies within the gate, but for kept ones.
bool posegraph_fits(const struct posegraph *self);

// The size of the last step, metres and radians: of a final solution, of one that
// decides, and of an intermediate one.
#define POSEGRAPH_FINE 1e-10
#define POSEGRAPH_NEAR 1e-6
#define POSEGRAPH_COARSE 1e-3

// Levenberg-Marquardt to the least sum of weight * chi-square, until a step is within `tolerance`,
// or, if that is coarser than POSEGRAPH_FINE, the sum hardly changes. Where the known factor leads
// there, none is made.
// The edges that are not left out connect all nodes. Yours: the factor at the solution, or the
// known one with what is different now. Where the effort is over, neither poses nor factor are of
// any use; NULL if it was before.
kept_factor_t *posegraph_solve(const struct posegraph *self, double tolerance);

// The factor at the poses. The edges that are not left out connect all nodes. Of no use where the
// effort is over.
kept_factor_t *posegraph_factor(const struct posegraph *self);

// A solve from the poses and from others, which are not changed: the solution with the smaller
// sum. Without the known factor.
kept_factor_t *posegraph_solve_better(const struct posegraph *self, const struct rigid *others,
                                      double tolerance);

// The same by graduated non-convexity, for edges that may be wrong: those beyond the gate have a
// weight of 0 in the end, all others the one they came with. Returns whether any was left out; then
// the rest may not connect all nodes, and the poses are to be solved again.
bool posegraph_judge(const struct posegraph *self);

#endif
