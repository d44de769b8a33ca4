// robust_links.c - solves by links, each of them the mean of its best mode (robust_stage.h): which
// of them are right, and which of those that nothing supported fit.
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/robust_stage.h"
#include "proto/base/memory.h"

enum { MAX_QUESTIONS = 128 }; // links of a round whose noise is computed with that of the poses

static void
solve(struct robust_solve *self)
{
    normal_equations_destroy(&self->component->normal);
    self->component->normal = posegraph_solve(&self->graph, self->tolerance);
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
    normal_equations_destroy(&self->component->normal);
    self->component->normal = posegraph_solve_better(&self->graph, others, self->tolerance);
    free(others);
}

// Solves by the edges that have a weight, then again without those that turn out to be wrong.
// Returns whether there are any.
static bool
solve_edges(struct robust_solve *self)
{
    solve(self);
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

// Solves by the edges of a stage, from known poses. Where all of them fit, the solution is the
// one that a solve from the stage's own poses leads to. Where not, what is wrong is to be found
// from there, as without known poses: puts the poses back and returns false.
static bool
solve_from_known(struct robust_solve *self, const struct rigid *poses, const bool *is_known)
{
    size_t size = self->graph.node_count * sizeof *self->graph.poses;
    struct rigid *start = memory_take(size);
    memcpy(start, self->graph.poses, size);
    place_new(self, poses, is_known);
    solve(self);
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
    bool is_whole = (poses && solve_from_known(self, poses, known->is_known)) || !solve_edges(self);
    is_whole = is_whole && !effort_is_over(self->graph.effort);
    free(*kept);
    *kept = is_whole ? memory_take(size) : NULL;
    if (is_whole)
        memcpy(*kept, self->graph.poses, size);
}

// Whether an edge lies within its own noise and that of the poses together.
static bool
is_admissible(const struct robust_solve *self, const struct posegraph_edge *edge,
              const double *twist)
{
    double covariance[36], sum[36], chi_square;
    if (!matrix6_invert(edge->information, sum))
        return false;
    posegraph_covariance(self->component->normal, self->graph.poses, edge->from, edge->to,
                         covariance);
    matrix6_add(sum, 1, covariance);
    return matrix6_chi_square(sum, twist, &chi_square) && chi_square <= POSEGRAPH_GATE;
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
