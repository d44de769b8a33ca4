// robust_solve.c - the robust solve of a component (robust_solve.h).
#include "actors/alignment/solver/robust_solve.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/bridge_votes.h"
#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/link_groups.h"
#include "actors/alignment/solver/lost_parts.h"
#include "actors/alignment/solver/robust_stage.h"
#include "actors/alignment/solver/scene_moves.h"
#include "proto/base/memory.h"

enum { BRIDGE_ROUNDS = 4 }; // each joins parts, so that more links lie between the same two parts

// --- the start ---

static void
split_links(struct robust_solve *self)
{
    struct observations *observations = &self->component->observations;
    for (size_t i = 0; i < observations->link_count; i++) {
        const struct link *link = &observations->links[i];
        if (effort_is_stopped(self->component->effort))
            return;
        struct candidates *candidates = &self->candidates[i];
        candidates->count =
            fusion_split(observations->items + link->first, link->count, candidates->modes);
        for (uint32_t mode = 0; mode < candidates->count; mode++)
            fusion_find_covariance(&candidates->modes[mode]);
    }
}

static void
robust_solve_init(struct robust_solve *self, struct component *component)
{
    struct observations *observations = &component->observations;
    size_t count = observations->link_count;
    component->is_given_up = false;
    *self = (struct robust_solve){
        .component = component,
        .candidates = memory_take_zeroed(count * sizeof *self->candidates + 1),
        .best = memory_take(count * sizeof(void *) + 1),
        .support = memory_take(count * sizeof *self->support + 1),
        .is_bridge = memory_take_zeroed(count * sizeof *self->is_bridge + 1),
        .graph = {.node_count = component->scene_count,
                  .poses = component->poses,
                  .edges = memory_take(count * sizeof *self->graph.edges + 1),
                  .edge_count = count,
                  .effort = component->effort,
                  .order = &component->order},
    };
    split_links(self);
    free(component->is_doubtful);
    component->is_doubtful = memory_take(count + 1);
    if (scene_moves_find(component->scene_count, observations, self->candidates, component->effort,
                         component->is_doubtful))
        split_links(self);
    cycle_votes_count(component->scene_count, observations->links, count, self->candidates,
                      component->effort);
    for (size_t i = 0; i < count; i++) {
        const struct mode *best = initial_poses_best(&self->candidates[i]);
        self->best[i] = best;
        self->support[i] = initial_poses_support(best);
        struct posegraph_edge *edge = &self->graph.edges[i];
        *edge = (struct posegraph_edge){.from = observations->links[i].a,
                                        .to = observations->links[i].b,
                                        .motion = best->motion,
                                        .is_kept = best->is_pinned};
        memcpy(edge->information, best->information, sizeof edge->information);
    }
}

static void
robust_solve_finish(struct robust_solve *self)
{
    free(self->candidates);
    free(self->best);
    free(self->support);
    free(self->is_bridge);
    free(self->graph.edges);
}

static void
accept_modes(struct robust_solve *self)
{
    for (size_t i = 0; i < self->graph.edge_count; i++)
        robust_observations_accept_mode(self, i);
}

static void
place_scenes(struct robust_solve *self)
{
    uint32_t scene_count = self->graph.node_count;
    bool *is_placed = memory_take_zeroed(scene_count * sizeof *is_placed);
    for (size_t i = 0; i < self->graph.edge_count; i++)
        self->graph.edges[i].weight = 0;
    initial_poses_place(scene_count, self->graph.edges, self->support, self->graph.edge_count,
                        is_placed, self->graph.poses);
    free(is_placed);
}

// The edges of the start: those that place the scenes, and all that are well supported.
static void
choose_start(struct robust_solve *self)
{
    struct posegraph *graph = &self->graph;
    link_groups_hold_back(graph->node_count, self->component->observations.links, graph->edge_count,
                          self->best, self->support, graph->effort);
    if (effort_is_over(graph->effort))
        return;
    place_scenes(self);
    for (int round = 0; round < BRIDGE_ROUNDS; round++) {
        if (!bridge_votes_support(graph->node_count, graph->edges, self->best, self->support,
                                  graph->edge_count, graph->poses))
            break;
        place_scenes(self);
    }
    for (size_t i = 0; i < graph->edge_count; i++)
        if (self->support[i] >= INITIAL_POSES_SUPPORT)
            graph->edges[i].weight = 1;
}

// Accepts the best modes of the links that place the scenes, and no others: a tree, which the least
// squares of two steps solve. Then what agrees with it.
static void
solve_tree(struct robust_solve *self)
{
    self->graph.effort = NULL;
    self->component->is_given_up = true;
    self->known = NULL;
    place_scenes(self);
    accept_modes(self);
    robust_observations_solve(self);
    for (size_t i = 0; i < self->graph.edge_count; i++) {
        self->is_bridge[i] = self->graph.edges[i].weight > 0;
        robust_observations_accept(self, i, 0);
    }
}

// By the robust solve, however long it takes.
static void
solve_all(struct robust_solve *self, const struct known_poses *known)
{
    choose_start(self);
    for (size_t stage = 0; stage < COMPONENT_STAGES && !effort_is_over(self->graph.effort) &&
                           (stage == 0 || robust_links_admit(self));
         stage++)
        robust_links_solve(self, stage, known);
    if (effort_is_over(self->graph.effort))
        return;
    accept_modes(self);
    robust_observations_settle(self);
    if (!effort_is_over(self->graph.effort))
        component_end_round(self->component, self->round);
}

// Puts the trees that place their scenes in the place of the lost parts. What else agrees with
// them is accepted, but moves nothing.
static void
solve_lost(struct robust_solve *self, const bool *is_lost)
{
    struct posegraph_edge *edges = self->graph.edges;
    size_t count = self->graph.edge_count;
    double *weights = memory_take(count * sizeof *weights + 1);
    for (size_t i = 0; i < count; i++)
        weights[i] = edges[i].weight;
    place_scenes(self);
    for (size_t i = 0; i < count; i++) {
        if (!is_lost[i]) {
            edges[i].weight = weights[i];
            continue;
        }
        self->component->is_doubtful[i] = true;
        self->is_bridge[i] = edges[i].weight > 0;
        edges[i].weight = edges[i].weight > 0 || edges[i].is_kept ? 1 : 0;
        robust_observations_accept_mode(self, i);
    }
    robust_observations_solve(self);
    for (size_t i = 0; i < count; i++)
        if (is_lost[i])
            robust_observations_accept(self, i, 0);
    free(weights);
}

// Whether no part was lost. With `by_trees`, those that are fall back to their trees.
static bool
keep_parts(struct robust_solve *self, bool by_trees)
{
    bool *is_lost = memory_take(self->graph.edge_count + 1);
    size_t lost = lost_parts_find(self->graph.node_count, self->graph.edges, self->support,
                                  self->graph.edge_count, is_lost);
    if (lost && by_trees)
        solve_lost(self, is_lost);
    free(is_lost);
    return !lost;
}

static bool
solve_component(struct component *self, uint32_t round, const struct known_poses *known,
                bool by_trees)
{
    struct robust_solve solve;
    bool is_kept = true;
    robust_solve_init(&solve, self);
    solve.round = round;
    solve.known = known;
    solve.tolerance =
        known || self->correction_count > ROBUST_SOLVE_KNOWN ? POSEGRAPH_FINE : POSEGRAPH_COARSE;
    if (!effort_is_over(self->effort))
        solve_all(&solve, known);
    if (!effort_is_over(self->effort))
        is_kept = keep_parts(&solve, by_trees);
    if (effort_is_over(self->effort) && !effort_is_stopped(self->effort))
        solve_tree(&solve);
    robust_solve_finish(&solve);
    return is_kept;
}

bool
robust_solve(struct component *self, uint32_t round, const struct known_poses *known)
{
    return solve_component(self, round, known, false);
}

void
robust_solve_by_trees(struct component *self)
{
    solve_component(self, COMPONENT_ROUNDS - 1, NULL, true);
}
