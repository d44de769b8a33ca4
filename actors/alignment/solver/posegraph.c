// posegraph.c - robust least squares on SE(3) (posegraph.h): Gauss-Newton with the damping of
// Levenberg and Marquardt; graduated non-convexity with truncated least squares (Yang et al. 2020).
#include "actors/alignment/solver/posegraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "proto/base/memory.h"

enum {
    MAX_STEPS = 60,       // of one solve; clean graphs take five to ten
    GRADUATION_STEPS = 2, // between two changes of the weights
    MAX_GRADUATIONS = 40,
    EDGE_OPERATIONS = 3000, // of a step, roughly
};
// metres, radians: smaller steps end it
#define REFACTOR_DISTANCE 1e-2 // metres, radians: the matrix has hardly changed
#define COST_TOLERANCE 1e-13   // of the cost
#define COST_ENOUGH 1e-6       // of the cost: less makes no intermediate solution better
#define SAME_SUM 1e-6          // of the cost: a smaller difference is no other solution
#define LEAST_WEIGHT 1e-6      // while weights change, so that nothing comes apart
#define SMALL_TWIST 0.01       // its fourth power is nothing
#define LEAST_DAMPING 1e-6
#define LARGEST_DAMPING 1e8

static struct rigid
relative(const struct rigid *poses, uint32_t from, uint32_t to)
{
    struct rigid back = rigid_invert(&poses[to]);
    return rigid_compose(&back, &poses[from]);
}

double
posegraph_residual(const struct rigid *poses, const struct posegraph_edge *edge, double *ret_twist)
{
    struct rigid motion = relative(poses, edge->from, edge->to);
    struct rigid error = rigid_between(&motion, &edge->motion);
    rigid_log(&error, ret_twist);
    return matrix6_form(edge->information, ret_twist);
}

// The sum of all, and the twist of each edge.
static double
cost_of(const struct posegraph *self, const struct rigid *poses, double (*ret_twists)[6])
{
    double cost = 0;
    for (size_t i = 0; i < self->edge_count; i++)
        if (self->edges[i].weight > 0)
            cost +=
                self->edges[i].weight * posegraph_residual(poses, &self->edges[i], ret_twists[i]);
    return cost;
}

// --- one step ---

// The matrix of the bracket with a twist.
static void
bracket(const double *twist, double *ret_matrix)
{
    memset(ret_matrix, 0, MATRIX6_SIZE * sizeof *ret_matrix);
    for (int part = 0; part < 2; part++) {
        const double *v = twist + part * 3;
        double *corner = ret_matrix + (part ? 0 : 3);
        corner[1] = -v[2], corner[2] = v[1], corner[6] = v[2];
        corner[8] = -v[0], corner[12] = -v[1], corner[13] = v[0];
        if (part)
            for (int row = 0; row < 3; row++)
                memcpy(ret_matrix + (row + 3) * 6 + 3, ret_matrix + row * 6, 3 * sizeof *twist);
    }
}

// log(exp(twist) * exp(x)) = twist + J x: the series of J to the fourth power.
static void
right_jacobian_inverse(const double *twist, double *ret_jacobian)
{
    double once[36], twice[36], fourth[36], largest = 0;
    bracket(twist, once);
    matrix6_multiply(once, once, twice);
    for (int i = 0; i < MATRIX6_SIZE; i++) {
        ret_jacobian[i] = (i % 7 == 0) + once[i] / 2 + twice[i] / 12;
        largest = fmax(largest, fabs(once[i]));
    }
    if (largest < SMALL_TWIST)
        return;
    matrix6_multiply(twice, twice, fourth);
    for (int i = 0; i < MATRIX6_SIZE; i++)
        ret_jacobian[i] -= fourth[i] / 720;
}

// a^T b
static void
multiply_transposed(const double *a, const double *b, double *ret_product)
{
    memset(ret_product, 0, MATRIX6_SIZE * sizeof *ret_product);
    for (int i = 0; i < 6; i++)
        for (int row = 0; row < 6; row++)
            for (int column = 0; column < 6; column++)
                ret_product[row * 6 + column] += a[i * 6 + row] * b[i * 6 + column];
}

// a^T v
static void
apply_transposed(const double *a, const double *vector, double *ret_product)
{
    for (int row = 0; row < 6; row++) {
        ret_product[row] = 0;
        for (int i = 0; i < 6; i++)
            ret_product[row] += a[i * 6 + row] * vector[i];
    }
}

// What an edge pulls at its nodes: -J^T force, where J is the series of right_jacobian_inverse, and
// Ad^T J^T force.
static void
find_pulls(const double *twist, const double *adjoint, const double *force, double *ret_pull_to,
           double *ret_pull_from)
{
    double once[36], powers[4][6];
    bracket(twist, once);
    apply_transposed(once, force, powers[0]);
    for (int i = 1; i < 4; i++)
        apply_transposed(once, powers[i - 1], powers[i]);
    for (int i = 0; i < 6; i++)
        ret_pull_to[i] = -(force[i] + powers[0][i] / 2 + powers[1][i] / 12 - powers[3][i] / 720);
    apply_transposed(adjoint, ret_pull_to, ret_pull_from);
    for (int i = 0; i < 6; i++)
        ret_pull_from[i] = -ret_pull_from[i];
}

// With x on the right of poses, the residual of an edge moves by J (x_to - Ad x_from). Without the
// matrix only the pulls are added.
static void
add_edge(normal_equations_t *normal, size_t index, const struct rigid *poses,
         const struct posegraph_edge *edge, const double *twist, bool with_matrix)
{
    double jacobian[36], adjoint[36], weighted[36], half[36];
    double block_tt[36], block_ft[36], block_ff[36], pull_to[6], pull_from[6], force[6];
    struct rigid motion = relative(poses, edge->from, edge->to);
    rigid_adjoint(&motion, adjoint);
    for (int i = 0; i < MATRIX6_SIZE; i++)
        weighted[i] = edge->weight * edge->information[i];
    matrix6_apply(weighted, twist, force);
    find_pulls(twist, adjoint, force, pull_to, pull_from);
    normal_equations_pull(normal, index, pull_from, pull_to);
    if (!with_matrix)
        return;
    for (int i = 0; i < MATRIX6_SIZE; i++)
        adjoint[i] = -adjoint[i];
    right_jacobian_inverse(twist, jacobian);
    matrix6_multiply(weighted, jacobian, half);
    multiply_transposed(jacobian, half, block_tt);
    multiply_transposed(adjoint, block_tt, block_ft);
    matrix6_multiply(block_ft, adjoint, block_ff);
    normal_equations_add(normal, index, block_ff, block_ft, block_tt);
}

static void
assemble(const struct posegraph *self, normal_equations_t *normal, double (*twists)[6],
         bool with_matrix)
{
    normal_equations_clear(normal, with_matrix);
    size_t used = 0;
    for (size_t i = 0; i < self->edge_count; i++)
        if (self->edges[i].weight > 0)
            add_edge(normal, used++, self->poses, &self->edges[i], twists[i], with_matrix);
}

static double
move_poses(const struct posegraph *self, const double *steps, struct rigid *ret_poses)
{
    double largest = 0;
    ret_poses[0] = self->poses[0];
    for (uint32_t node = 1; node < self->node_count; node++) {
        const double *twist = steps + (node - 1) * 6;
        struct rigid step = rigid_exp(twist);
        ret_poses[node] = rigid_compose(&self->poses[node], &step);
        for (int i = 0; i < 6; i++)
            largest = fmax(largest, fabs(twist[i]));
    }
    return largest;
}

// --- the descent ---

static normal_equations_t *
create_normal(const struct posegraph *self)
{
    struct normal_pair *pairs = memory_take(self->edge_count * sizeof *pairs + 1);
    size_t count = 0;
    for (size_t i = 0; i < self->edge_count; i++) {
        const struct posegraph_edge *edge = &self->edges[i];
        if (edge->weight > 0)
            pairs[count++] = (struct normal_pair){edge->from ? edge->from - 1 : NORMAL_FIXED,
                                                  edge->to ? edge->to - 1 : NORMAL_FIXED};
    }
    normal_equations_t *normal =
        normal_equations_create(self->node_count - 1, pairs, count, self->order, self->effort);
    free(pairs);
    return normal;
}

// The state of a descent. The factor of before serves while poses have hardly moved: the pull is
// exact, so it leads to the same place.
struct descent {
    const struct posegraph *graph;
    normal_equations_t *normal;
    double *steps;
    struct rigid *trial;
    double (*twists)[6], (*trial_twists)[6]; // of edges, at the poses and at the trial
    double damping, cost;
    double moved; // since the matrix was factored; infinite if it was not
};

// Solves for the step and computes the poses after it and their cost. Returns its largest part.
static double
try_step(struct descent *self, double *ret_cost)
{
    bool is_factored = self->moved <= REFACTOR_DISTANCE;
    *ret_cost = INFINITY;
    assemble(self->graph, self->normal, self->twists, !is_factored);
    if (!is_factored && !normal_equations_factor(self->normal, self->damping, self->graph->effort))
        return INFINITY;
    if (!is_factored && self->damping == 0)
        self->moved = 0;
    normal_equations_solve(self->normal, self->steps);
    double largest = move_poses(self->graph, self->steps, self->trial);
    *ret_cost = cost_of(self->graph, self->trial, self->trial_twists);
    return largest;
}

static void
take_trial(struct descent *self, double cost, double largest)
{
    double(*twists)[6] = self->twists;
    memcpy(self->graph->poses, self->trial, self->graph->node_count * sizeof *self->trial);
    self->twists = self->trial_twists;
    self->trial_twists = twists;
    self->cost = cost;
    self->moved += largest;
    self->damping = self->damping > LEAST_DAMPING ? self->damping / 10 : 0;
}

// Goes downhill for at most `max_steps`.
static void
descend(const struct posegraph *graph, normal_equations_t *normal, int max_steps, double tolerance)
{
    size_t twists_size = graph->edge_count * sizeof(double[6]) + 1;
    struct descent self = {
        .graph = graph,
        .normal = normal,
        .steps = memory_take((graph->node_count - 1) * 6 * sizeof *self.steps + 1),
        .trial = memory_take(graph->node_count * sizeof *self.trial),
        .twists = memory_take(twists_size),
        .trial_twists = memory_take(twists_size),
        .moved = INFINITY,
    };
    self.cost = cost_of(graph, graph->poses, self.twists);
    double work = (double)graph->edge_count * EDGE_OPERATIONS;
    for (int step = 0;
         step < max_steps && self.damping < LARGEST_DAMPING && effort_spend(graph->effort, work);
         step++) {
        double cost, largest = try_step(&self, &cost);
        if (cost <= self.cost * (1 + COST_TOLERANCE) || largest <= POSEGRAPH_FINE) {
            bool is_flat = tolerance > POSEGRAPH_FINE && self.cost - cost <= COST_ENOUGH * cost;
            take_trial(&self, cost, largest);
            if (largest <= tolerance || is_flat)
                break;
            continue;
        }
        if (self.moved == 0 || self.damping > 0 || !isfinite(cost))
            self.damping = fmax(self.damping * 10, LEAST_DAMPING);
        self.moved = INFINITY;
    }
    free(self.trial);
    free(self.steps);
    free(self.twists);
    free(self.trial_twists);
}

normal_equations_t *
posegraph_solve(const struct posegraph *self, double tolerance)
{
    if (effort_is_over(self->effort))
        return NULL;
    normal_equations_t *normal = create_normal(self);
    descend(self, normal, MAX_STEPS, tolerance);
    normal_equations_freeze(normal);
    return normal;
}

static double
sum_of(const struct posegraph *self)
{
    double sum = 0, twist[6];
    for (size_t i = 0; i < self->edge_count; i++)
        if (self->edges[i].weight > 0)
            sum += self->edges[i].weight * posegraph_residual(self->poses, &self->edges[i], twist);
    return sum;
}

normal_equations_t *
posegraph_solve_better(const struct posegraph *self, const struct rigid *others, double tolerance)
{
    size_t size = self->node_count * sizeof *self->poses;
    struct rigid *first = memory_take(size);
    normal_equations_t *normal = posegraph_solve(self, tolerance);
    double sum = sum_of(self);
    memcpy(first, self->poses, size);
    memcpy(self->poses, others, size);
    normal_equations_t *other = posegraph_solve(self, tolerance);
    bool is_better = other && sum_of(self) < sum * (1 - SAME_SUM);
    if (!is_better)
        memcpy(self->poses, first, size);
    normal_equations_destroy(is_better ? &normal : &other);
    free(first);
    return is_better ? other : normal;
}

// --- graduated non-convexity ---

static double
weight_of(double chi_square, double convexity)
{
    double low = convexity / (convexity + 1) * POSEGRAPH_GATE;
    double high = (convexity + 1) / convexity * POSEGRAPH_GATE;
    if (chi_square <= low)
        return 1;
    if (chi_square >= high)
        return 0;
    return sqrt(POSEGRAPH_GATE * convexity * (convexity + 1) / chi_square) - convexity;
}

static double
worst_of(const struct posegraph *self)
{
    double worst = 0, twist[6];
    for (size_t i = 0; i < self->edge_count; i++) {
        const struct posegraph_edge *edge = &self->edges[i];
        if (edge->weight > 0 && !edge->is_kept)
            worst = fmax(worst, posegraph_residual(self->poses, edge, twist));
    }
    return worst;
}

bool
posegraph_fits(const struct posegraph *self)
{
    return worst_of(self) <= POSEGRAPH_GATE;
}

// Returns whether every weight is that of the full or none.
static bool
weigh(const struct posegraph *self, const double *full, double convexity)
{
    bool is_decided = true;
    double twist[6];
    for (size_t i = 0; i < self->edge_count; i++) {
        struct posegraph_edge *edge = &self->edges[i];
        if (full[i] <= 0 || edge->is_kept)
            continue;
        double weight = weight_of(posegraph_residual(self->poses, edge, twist), convexity);
        is_decided = is_decided && (weight <= 0 || weight >= 1);
        edge->weight = full[i] * fmax(weight, LEAST_WEIGHT);
    }
    return is_decided;
}

bool
posegraph_judge(const struct posegraph *self)
{
    double worst = worst_of(self), twist[6];
    if (worst <= POSEGRAPH_GATE || effort_is_over(self->effort))
        return false;
    double *full = memory_take(self->edge_count * sizeof *full + 1);
    for (size_t i = 0; i < self->edge_count; i++)
        full[i] = self->edges[i].weight;
    normal_equations_t *normal = create_normal(self);
    double convexity = fmax(POSEGRAPH_GATE / (2 * worst - POSEGRAPH_GATE), 1e-4);
    for (int i = 0;
         i < MAX_GRADUATIONS && !weigh(self, full, convexity) && !effort_is_over(self->effort);
         i++, convexity *= 2)
        descend(self, normal, GRADUATION_STEPS, POSEGRAPH_COARSE);
    normal_equations_destroy(&normal);
    bool is_any_out = false;
    for (size_t i = 0; i < self->edge_count; i++) {
        struct posegraph_edge *edge = &self->edges[i];
        bool is_out = full[i] > 0 && !edge->is_kept &&
                      posegraph_residual(self->poses, edge, twist) > POSEGRAPH_GATE;
        edge->weight = is_out ? 0 : full[i];
        is_any_out = is_any_out || is_out;
    }
    free(full);
    return is_any_out;
}

// --- covariances ---

// With x on the right of poses, to^-1 * from moves on its left by Ad x_from - x_to.
void
posegraph_covariance(const normal_equations_t *normal, const struct rigid *poses, uint32_t from,
                     uint32_t to, double *ret_covariance)
{
    double adjoint[36], minus[36] = {0};
    struct rigid motion = relative(poses, from, to);
    rigid_adjoint(&motion, adjoint);
    for (int i = 0; i < 6; i++)
        minus[i * 7] = -1;
    normal_equations_covariance(normal, from ? from - 1 : NORMAL_FIXED, adjoint,
                                to ? to - 1 : NORMAL_FIXED, minus, ret_covariance);
}
