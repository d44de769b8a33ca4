// posegraph.c - robust least squares on SE(3) (posegraph.h): Gauss-Newton with the damping of
// Levenberg and Marquardt; graduated non-convexity with truncated least squares (Yang et al. 2020).
#include "actors/alignment/solver/posegraph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/step_mixing.h"
#include "proto/base/memory.h"

enum {
    MAX_STEPS = 60,       // of one solve; clean graphs take five to ten
    GRADUATION_STEPS = 2, // between two changes of the weights
    MAX_GRADUATIONS = 40,
    EDGE_OPERATIONS = 3000, // of a step, roughly
    ENTRY_OPERATIONS = 4,   // of an entry of a factor, in a step by it
    MAX_LED_STEPS = 24,     // of a known factor; five to ten lead there
    LED_STEPS = 3,          // in which they get smaller
};
// metres, radians: smaller steps end it
#define REFACTOR_DISTANCE 1e-2 // metres, radians: the matrix has hardly changed
#define COST_TOLERANCE 1e-13   // of the cost
#define COST_ENOUGH 1e-6       // of the cost: less makes no intermediate solution better
#define SAME_SUM 1e-6          // of the cost: a smaller difference is no other solution
#define LEAST_WEIGHT 1e-6      // while weights change, so that nothing comes apart
#define LED_SHARE 0.5 // of a step, for the third one after it: a known factor that leads anywhere
#define LED_COST                                                                                   \
    1e-9 // of the cost: by so much it may rise, as steps that are mixed do not fall evenly
#define LED_FINE                                                                                   \
    1e-9 // metres, radians: what a known factor may leave; restarted is as running to 1e-6
#define LED_FLOOR 1e-8   // metres, radians: steps of a known factor that are within it are rounding
#define SMALL_TWIST 0.01 // its fourth power is nothing
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

// With x on the right of poses, the residual of an edge moves by J (x_to - Ad x_from).
static void
add_edge(normal_equations_t *normal, size_t index, const struct rigid *poses,
         const struct posegraph_edge *edge, const double *twist)
{
    double jacobian[36], adjoint[36], weighted[36], half[36];
    double block_tt[36], block_ft[36], block_ff[36];
    struct rigid motion = relative(poses, edge->from, edge->to);
    rigid_adjoint(&motion, adjoint);
    for (int i = 0; i < MATRIX6_SIZE; i++) {
        weighted[i] = edge->weight * edge->information[i];
        adjoint[i] = -adjoint[i];
    }
    right_jacobian_inverse(twist, jacobian);
    matrix6_multiply(weighted, jacobian, half);
    multiply_transposed(jacobian, half, block_tt);
    multiply_transposed(adjoint, block_tt, block_ft);
    matrix6_multiply(block_ft, adjoint, block_ff);
    normal_equations_add(normal, index, block_ff, block_ft, block_tt);
}

static void
assemble(const struct posegraph *self, normal_equations_t *normal, double (*twists)[6])
{
    normal_equations_clear(normal, true);
    size_t used = 0;
    for (size_t i = 0; i < self->edge_count; i++)
        if (self->edges[i].weight > 0)
            add_edge(normal, used++, self->poses, &self->edges[i], twists[i]);
}

// What all edges pull at nodes, six numbers for each but the first.
static void
pull_nodes(const struct posegraph *self, double (*twists)[6], double *ret_pulls)
{
    memset(ret_pulls, 0, (self->node_count - 1) * 6 * sizeof *ret_pulls);
    for (size_t i = 0; i < self->edge_count; i++) {
        const struct posegraph_edge *edge = &self->edges[i];
        double adjoint[36], weighted[36], pull_to[6], pull_from[6], force[6];
        if (edge->weight <= 0)
            continue;
        struct rigid motion = relative(self->poses, edge->from, edge->to);
        rigid_adjoint(&motion, adjoint);
        for (int k = 0; k < MATRIX6_SIZE; k++) // as the matrix has it, so that both round alike
            weighted[k] = edge->weight * edge->information[k];
        matrix6_apply(weighted, twists[i], force);
        find_pulls(twists[i], adjoint, force, pull_to, pull_from);
        for (uint32_t k = 0; k < 6; k++) {
            if (edge->from)
                ret_pulls[(edge->from - 1) * 6 + k] += pull_from[k];
            if (edge->to)
                ret_pulls[(edge->to - 1) * 6 + k] += pull_to[k];
        }
    }
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
    struct rigid *trial, *factored;          // factored: the poses of the last factor
    double (*twists)[6], (*trial_twists)[6]; // of edges, at the poses and at the trial
    double damping, cost;
    double moved; // since the matrix was factored; infinite if it was not
};

static void
descent_init(struct descent *self, const struct posegraph *graph)
{
    size_t twists_size = graph->edge_count * sizeof(double[6]) + 1;
    *self = (struct descent){
        .graph = graph,
        .steps = memory_take((graph->node_count - 1) * 6 * sizeof *self->steps + 1),
        .trial = memory_take(graph->node_count * sizeof *self->trial),
        .factored = memory_take(graph->node_count * sizeof *self->factored),
        .twists = memory_take(twists_size),
        .trial_twists = memory_take(twists_size),
        .moved = INFINITY,
    };
    memcpy(self->factored, graph->poses, graph->node_count * sizeof *self->factored);
    self->cost = cost_of(graph, graph->poses, self->twists);
}

static void
descent_finish(struct descent *self)
{
    free(self->trial);
    free(self->factored);
    free(self->steps);
    free(self->twists);
    free(self->trial_twists);
}

// Computes the poses after the step and their cost. Returns its largest part.
static double
try_poses(struct descent *self, double *ret_cost)
{
    double largest = move_poses(self->graph, self->steps, self->trial);
    *ret_cost = cost_of(self->graph, self->trial, self->trial_twists);
    return largest;
}

// Solves for the step, too.
static double
try_step(struct descent *self, double *ret_cost)
{
    bool is_factored = self->moved <= REFACTOR_DISTANCE;
    *ret_cost = INFINITY;
    if (!is_factored) {
        assemble(self->graph, self->normal, self->twists);
        memcpy(self->factored, self->graph->poses,
               self->graph->node_count * sizeof *self->factored);
        if (!normal_equations_factor(self->normal, self->damping, self->graph->effort))
            return INFINITY;
    }
    if (!is_factored && self->damping == 0)
        self->moved = 0;
    pull_nodes(self->graph, self->twists, normal_equations_pulls(self->normal));
    normal_equations_solve(self->normal, self->steps);
    return try_poses(self, ret_cost);
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

static bool
is_downhill(const struct descent *self, double cost, double largest)
{
    return cost <= self->cost * (1 + COST_TOLERANCE) || largest <= POSEGRAPH_FINE;
}

static bool
is_going_on(const struct descent *self)
{
    return effort_spend(self->graph->effort, (double)self->graph->edge_count * EDGE_OPERATIONS);
}

// Goes downhill for at most `max_steps`.
static void
descend(struct descent *self, int max_steps, double tolerance)
{
    for (int step = 0; step < max_steps && self->damping < LARGEST_DAMPING && is_going_on(self);
         step++) {
        double cost, largest = try_step(self, &cost);
        if (is_downhill(self, cost, largest)) {
            bool is_flat = tolerance > POSEGRAPH_FINE && self->cost - cost <= COST_ENOUGH * cost;
            take_trial(self, cost, largest);
            if (largest <= tolerance || is_flat)
                break;
            continue;
        }
        if (self->moved == 0 || self->damping > 0 || !isfinite(cost))
            self->damping = fmax(self->damping * 10, LEAST_DAMPING);
        self->moved = INFINITY;
    }
}

// Whether the steps of a known factor get smaller. The last ones may hardly do, by rounding.
static bool
is_leading(const double *largest, int step)
{
    return step < LED_STEPS || largest[step] <= largest[step - LED_STEPS] * LED_SHARE ||
           largest[step] <= LED_FLOOR;
}

// Whether what is left to go after a step is within the tolerance, if the next one is as much
// smaller as this one was.
static bool
is_last(const double *largest, int step, double tolerance)
{
    double share = step ? fmin(largest[step] / largest[step - 1], 1) : 1;
    return largest[step] * share <= fmax(tolerance, LED_FINE) ||
           (step >= LED_STEPS && largest[step - LED_STEPS] <= LED_FLOOR);
}

// Goes downhill by a factor of another solution. Returns whether it led to the end; if not, the
// poses are as near as it led.
static bool
descend_led(struct descent *self, const kept_factor_t *known, double tolerance)
{
    size_t size = (self->graph->node_count - 1) * (size_t)6;
    double *pulls = memory_take(size * sizeof *pulls + 1), largest[MAX_LED_STEPS], cost;
    step_mixing_t *mixing = step_mixing_create(size);
    bool is_there = false;
    double work = kept_factor_entries(known) * ENTRY_OPERATIONS;
    for (int step = 0; step < MAX_LED_STEPS && !is_there && is_going_on(self) &&
                       effort_spend(self->graph->effort, work);
         step++) {
        pull_nodes(self->graph, self->twists, pulls);
        kept_factor_step(known, self->graph->poses, pulls, self->steps);
        step_mixing_improve(mixing, self->steps);
        largest[step] = try_poses(self, &cost);
        if (!(cost <= self->cost * (1 + LED_COST)) || !is_leading(largest, step))
            break;
        take_trial(self, cost, largest[step]);
        is_there = is_last(largest, step, tolerance);
    }
    step_mixing_destroy(&mixing);
    free(pulls);
    return is_there;
}

// --- what is left of a solve ---

// What edges say of each pair of nodes that they connect. Returns how many there are.
static struct kept_pair *
list_pairs(const struct posegraph *self, size_t *ret_count)
{
    struct kept_pair *pairs = memory_take(self->edge_count * sizeof *pairs + 1);
    size_t count = 0;
    for (size_t i = 0; i < self->edge_count; i++) {
        const struct posegraph_edge *edge = &self->edges[i];
        if (edge->weight <= 0)
            continue;
        pairs[count] = (struct kept_pair){.from = edge->from, .to = edge->to};
        matrix6_add(pairs[count++].information, edge->weight, edge->information);
    }
    *ret_count = count;
    return pairs;
}

// By a factor of its own.
static kept_factor_t *
solve_anew(struct descent *self, double tolerance)
{
    size_t count;
    struct kept_pair *pairs = list_pairs(self->graph, &count);
    self->normal = create_normal(self->graph);
    descend(self, MAX_STEPS, tolerance);
    normal_equations_freeze(self->normal);
    return kept_factor_create(&self->normal, self->graph->node_count, self->factored, &pairs,
                              count);
}

kept_factor_t *
posegraph_factor(const struct posegraph *self)
{
    size_t count;
    struct descent descent;
    descent_init(&descent, self);
    struct kept_pair *pairs = list_pairs(self, &count);
    normal_equations_t *normal = create_normal(self);
    assemble(self, normal, descent.twists);
    (void)normal_equations_factor(normal, 0, self->effort);
    normal_equations_freeze(normal);
    kept_factor_t *factor =
        kept_factor_create(&normal, self->node_count, self->poses, &pairs, count);
    descent_finish(&descent);
    return factor;
}

// By the known factor; NULL if that does not lead to the end.
static kept_factor_t *
solve_led(struct descent *self, double tolerance)
{
    size_t count;
    struct kept_pair *pairs = list_pairs(self->graph, &count);
    kept_factor_t *known = kept_factor_change(self->graph->known, pairs, count);
    free(pairs);
    if (known && !descend_led(self, known, tolerance))
        kept_factor_destroy(&known);
    return known;
}

kept_factor_t *
posegraph_solve(const struct posegraph *self, double tolerance)
{
    if (effort_is_over(self->effort))
        return NULL;
    struct descent descent;
    descent_init(&descent, self);
    kept_factor_t *factor =
        self->known && kept_factor_is_large(self->known) ? solve_led(&descent, tolerance) : NULL;
    if (!factor)
        factor = solve_anew(&descent, tolerance);
    descent_finish(&descent);
    return factor;
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

kept_factor_t *
posegraph_solve_better(const struct posegraph *self, const struct rigid *others, double tolerance)
{
    size_t size = self->node_count * sizeof *self->poses;
    struct rigid *first = memory_take(size);
    kept_factor_t *factor = posegraph_solve(self, tolerance);
    double sum = sum_of(self);
    memcpy(first, self->poses, size);
    memcpy(self->poses, others, size);
    kept_factor_t *other = posegraph_solve(self, tolerance);
    bool is_better = other && sum_of(self) < sum * (1 - SAME_SUM);
    if (!is_better)
        memcpy(self->poses, first, size);
    kept_factor_destroy(is_better ? &factor : &other);
    free(first);
    return is_better ? other : factor;
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

// A few steps with the weights of now.
static void
graduate(struct descent *self)
{
    self->cost = cost_of(self->graph, self->graph->poses, self->twists);
    self->moved = INFINITY;
    self->damping = 0;
    descend(self, GRADUATION_STEPS, POSEGRAPH_COARSE);
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
    struct descent descent;
    descent_init(&descent, self);
    descent.normal = create_normal(self);
    double convexity = fmax(POSEGRAPH_GATE / (2 * worst - POSEGRAPH_GATE), 1e-4);
    for (int i = 0;
         i < MAX_GRADUATIONS && !weigh(self, full, convexity) && !effort_is_over(self->effort);
         i++, convexity *= 2)
        graduate(&descent);
    normal_equations_destroy(&descent.normal);
    descent_finish(&descent);
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
