// robust_links.c - solves by links, each of them the mean of its best mode (robust_stage.h): which
// of them are right, and which of those that nothing supported fit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/robust_stage.h"
#include "proto/base/memory.h"

enum { MAX_QUESTIONS = 128 }; // links of a round whose noise is computed with that of the poses

#define NEAR_GATE                                                                                  \
    0.01 // of the gate: ten times what chi-squares differ by at a solution that is near
#define MOST_STRAIN 0.8 // of a factor of before that is asked for noise

static void
solve(struct robust_solve *self, double tolerance)
{
    kept_factor_destroy(&self->component->factor);
    self->component->factor = posegraph_solve(&self->graph, tolerance);
}

// Poses along a tree of the edges that have a weight.
static void
spread_poses(const struct robust_solve *self, struct rigid *ret_poses)
{
    const struct posegraph *graph = &self->graph;
    size_t count = 0;
    struct posegraph_edge *edges = memory_take(graph->edge_count * sizeof *edges + 1);
    int64_t *support = memory_take(graph->edge_count * sizeof *support + 1);
    bool *is_placed = memory_take_zeroed(graph->node_count * sizeof *is_placed);
    for (size_t i = 0; i < graph->edge_count; i++)
        if (graph->edges[i].weight > 0) {
            support[count] = self->support[i];
            edges[count++] = graph->edges[i];
        }
    initial_poses_place(graph->node_count, edges, support, count, is_placed, ret_poses);
    free(edges);
    free(support);
    free(is_placed);
}

// While wrong edges pulled, the poses may have come near another minimum of the right ones than the
// least: solves from poses along a tree of these, too.
static void
solve_twice(struct robust_solve *self)
{
    struct rigid *others = memory_take(self->graph.node_count * sizeof *others);
    spread_poses(self, others);
    kept_factor_destroy(&self->component->factor);
    self->component->factor = posegraph_solve_better(&self->graph, others, self->tolerance);
    free(others);
}

// Solves by the edges that have a weight, then again without those that turn out to be wrong.
// Returns whether there are any.
static bool
solve_edges(struct robust_solve *self)
{
    solve(self, self->tolerance);
    if (!posegraph_judge(&self->graph))
        return false;
    initial_poses_connect(self->graph.node_count, self->graph.edges, self->support,
                          self->graph.edge_count, self->is_bridge);
    solve_twice(self);
    return true;
}

// Takes the known poses, and places the scenes that have none along the edges from those that do.
static void
place_new(const struct robust_solve *self, const struct rigid *poses, const bool *is_known)
{
    const struct posegraph *graph = &self->graph;
    size_t size = graph->edge_count * sizeof *graph->edges;
    struct posegraph_edge *edges = memory_take(size + 1);
    bool *is_placed = memory_take(graph->node_count * sizeof *is_placed);
    memcpy(edges, graph->edges, size); // their weights are those of the stage already
    memcpy(is_placed, is_known, graph->node_count * sizeof *is_placed);
    for (uint32_t scene = 0; scene < graph->node_count; scene++)
        if (is_placed[scene])
            graph->poses[scene] = poses[scene];
    initial_poses_place(graph->node_count, edges, self->support, graph->edge_count, is_placed,
                        graph->poses);
    free(is_placed);
    free(edges);
}

// Whether poses that are nearer to the solution change nothing that these decide.
static bool
is_decided(const struct robust_solve *self)
{
    double twist[6];
    for (size_t i = 0; i < self->graph.edge_count; i++) {
        const struct posegraph_edge *edge = &self->graph.edges[i];
        double chi_square = posegraph_residual(self->graph.poses, edge, twist);
        if (fabs(chi_square - POSEGRAPH_GATE) <= NEAR_GATE * POSEGRAPH_GATE)
            return false;
    }
    return true;
}

// Solves by the edges of a stage, from known poses. Where all of them fit, the solution is the
// one that a solve from the stage's own poses leads to. Where not, what is wrong is to be found
// from there, as without known poses: puts the poses back and returns false.
static bool
solve_from_known(struct robust_solve *self, size_t stage, const struct rigid *poses,
                 const bool *is_known)
{
    size_t size = self->graph.node_count * sizeof *self->graph.poses;
    struct rigid *start = memory_take(size);
    memcpy(start, self->graph.poses, size);
    place_new(self, poses, is_known);
    self->graph.known = self->known->factors[self->round][stage];
    solve(self, POSEGRAPH_NEAR);
    if (!is_decided(self))
        solve(self, POSEGRAPH_FINE);
    self->graph.known = NULL;
    bool is_fitting = posegraph_fits(&self->graph);
    if (!is_fitting)
        memcpy(self->graph.poses, start, size);
    free(start);
    return is_fitting;
}

void
robust_links_solve(struct robust_solve *self, size_t stage, const struct known_poses *known)
{
    size_t size = self->graph.node_count * sizeof *self->graph.poses;
    struct rigid **kept = &self->component->stages[self->round][stage];
    const struct rigid *poses = known ? known->stages[self->round][stage] : NULL;
    bool is_whole =
        (poses && solve_from_known(self, stage, poses, known->is_known)) || !solve_edges(self);
    is_whole = is_whole && !effort_is_over(self->graph.effort);
    if (is_whole)
        component_keep_factor(self->component, self->round, stage);
    free(*kept);
    *kept = is_whole ? memory_take(size) : NULL;
    if (is_whole)
        memcpy(*kept, self->graph.poses, size);
}

// Makes the factor of the poses, where that of a solution before is not enough.
static void
make_factor(struct robust_solve *self)
{
    kept_factor_destroy(&self->component->factor);
    self->component->factor = posegraph_factor(&self->graph);
}

// Whether an edge lies within its own noise and `share` of that of the poses together.
static bool
is_within(const double *noise, double share, const double *covariance, const double *twist)
{
    double sum[36], chi_square;
    memcpy(sum, noise, sizeof sum);
    matrix6_add(sum, share, covariance);
    return matrix6_chi_square(sum, twist, &chi_square) && chi_square <= POSEGRAPH_GATE;
}

// Whether it lies within its own noise and that of the poses together. A factor of before knows the
// latter as well as it says: where that is not enough to decide, one of now is made.
static bool
is_admissible(struct robust_solve *self, const struct posegraph_edge *edge, const double *twist)
{
    double covariance[36], noise[36], strain = 0;
    if (!matrix6_invert(edge->information, noise))
        return false;
    if (!kept_factor_is_exact(self->component->factor))
        strain = kept_factor_strain(self->component->factor, self->graph.poses);
    if (strain > MOST_STRAIN) {
        make_factor(self);
        strain = 0;
    }
    kept_factor_covariance(self->component->factor, self->graph.poses, edge->from, edge->to,
                           covariance);
    double least = 1 / ((1 + strain) * (1 + strain)), most = 1 / ((1 - strain) * (1 - strain));
    bool is_surely = is_within(noise, least, covariance, twist);
    if (is_surely == is_within(noise, most, covariance, twist) ||
        effort_is_over(self->graph.effort))
        return is_surely;
    make_factor(self);
    return is_admissible(self, edge, twist);
}

size_t
robust_links_admit(struct robust_solve *self)
{
    size_t admitted = 0, questions = 0;
    double twist[6];
    if (effort_is_over(self->graph.effort))
        return 0;
    bool *is_fitting = memory_take_zeroed(self->graph.edge_count * sizeof *is_fitting + 1);
    for (size_t i = 0; i < self->graph.edge_count; i++) {
        const struct posegraph_edge *edge = &self->graph.edges[i];
        if (edge->weight > 0 || self->support[i] < 0)
            continue;
        double chi_square = posegraph_residual(self->graph.poses, edge, twist);
        is_fitting[i] = chi_square <= POSEGRAPH_GATE ||
                        (questions++ < MAX_QUESTIONS && is_admissible(self, edge, twist));
    }
    for (size_t i = 0; i < self->graph.edge_count; i++)
        if (is_fitting[i]) {
            self->graph.edges[i].weight = 1;
            admitted++;
        }
    free(is_fitting);
    return admitted;
}
