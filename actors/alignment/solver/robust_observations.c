// robust_observations.c - which observations agree with the poses, and solves by exactly those
// (robust_stage.h).
#include <stdlib.h>

#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/robust_stage.h"
#include "proto/base/memory.h"

// A factor of before tells how sure poses are as long as they have moved by no more than this share
// of what edges tell (kept_factor.h). What it says is as if the scenes had stayed where they were
// then: sigmas differ by less than this share, mostly by what distances between scenes have changed
// by, and nothing else does: poses are solved to the end, and decisions that come near their bound
// are made with a factor of now.
#define MOST_STRAIN 0.1

enum {
    SOLVE_ROUNDS = 8,    // at most, until a round accepts the same observations as the one before
    LAST_ACCEPTANCE = 5, // after so many rounds no rejected observation is accepted again
};

static bool
is_right(const struct robust_solve *self, size_t link, const struct observation *item,
         const struct rigid *motion, int round)
{
    if (item->is_pinned)
        return true;
    if (self->is_bridge[link])
        return item->mode == (uint32_t)(self->best[link] - self->candidates[link].modes);
    return !item->is_past && (item->is_accepted || round < LAST_ACCEPTANCE) &&
           fusion_chi_square(item, motion) <= POSEGRAPH_GATE;
}

bool
robust_observations_accept(struct robust_solve *self, size_t index, int round)
{
    struct observations *observations = &self->component->observations;
    const struct link *link = &observations->links[index];
    struct rigid back = rigid_invert(&self->graph.poses[link->b]);
    struct rigid motion = rigid_compose(&back, &self->graph.poses[link->a]);
    bool is_changed = false, is_any = false;
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        struct observation *item = &observations->items[i];
        bool is_accepted = is_right(self, index, item, &motion, round);
        is_changed = is_changed || is_accepted != item->is_accepted;
        is_any = is_any || is_accepted;
        item->is_accepted = is_accepted;
    }
    self->graph.edges[index].weight = is_any ? 1 : 0;
    return is_changed;
}

// If scenes are disconnected, accepts the best mode of a link between them.
static void
reconnect(struct robust_solve *self, int round)
{
    if (!initial_poses_connect(self->graph.node_count, self->graph.edges, self->support,
                               self->graph.edge_count, self->is_bridge))
        return;
    for (size_t i = 0; i < self->graph.edge_count; i++)
        if (self->is_bridge[i])
            robust_observations_accept(self, i, round);
}

// The graph of the accepted observations. Its edges are yours.
static struct posegraph
graph_of(struct component *component)
{
    const struct observations *observations = &component->observations;
    struct posegraph graph = {
        .node_count = component->scene_count,
        .poses = component->poses,
        .edges = memory_take(observations->count * sizeof *graph.edges + 1),
        .effort = component->effort,
        .order = &component->order,
    };
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *item = &observations->items[i];
        if (!item->is_accepted)
            continue;
        struct posegraph_edge *edge = &graph.edges[graph.edge_count++];
        *edge = (struct posegraph_edge){
            .from = item->a, .to = item->b, .motion = item->motion, .weight = item->weight};
        observations_inform(item, edge->information);
    }
    return graph;
}

static void
make_factor(struct component *component, const struct posegraph *graph)
{
    kept_factor_destroy(&component->factor);
    component->factor = posegraph_factor(graph);
}

void
robust_observations_solve(struct robust_solve *self)
{
    struct component *component = self->component;
    struct posegraph graph = graph_of(component);
    graph.effort = self->graph.effort;
    graph.known = self->known ? self->known->factors[self->round][COMPONENT_STAGES] : NULL;
    kept_factor_destroy(&component->factor);
    component->factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    if (component->factor && !kept_factor_is_exact(component->factor) &&
        kept_factor_strain(component->factor, component->poses) > MOST_STRAIN)
        make_factor(component, &graph);
    free(graph.edges);
}

void
robust_solve_factor(struct component *self)
{
    struct posegraph graph = graph_of(self);
    make_factor(self, &graph);
    free(graph.edges);
}

void
robust_observations_settle(struct robust_solve *self)
{
    bool is_solved = false;
    for (int round = 0; round < SOLVE_ROUNDS && !effort_is_over(self->graph.effort); round++) {
        bool is_changed = false;
        for (size_t i = 0; i < self->graph.edge_count; i++)
            is_changed = robust_observations_accept(self, i, round) || is_changed;
        if (!is_changed && is_solved)
            return;
        reconnect(self, round);
        robust_observations_solve(self);
        is_solved = true;
    }
}

void
robust_observations_accept_mode(struct robust_solve *self, size_t index)
{
    struct observations *observations = &self->component->observations;
    const struct link *link = &observations->links[index];
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        struct observation *item = &observations->items[i];
        item->is_accepted =
            self->graph.edges[index].weight > 0 &&
            item->mode == (uint32_t)(self->best[index] - self->candidates[index].modes);
    }
}
