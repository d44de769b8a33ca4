// robust_solve.c - the robust solve of a component (robust_solve.h).
#include "actors/alignment/solver/robust_solve.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/bridge_votes.h"
#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/link_groups.h"
#include "actors/alignment/solver/lost_parts.h"
#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/scene_moves.h"
#include "proto/base/memory.h"

enum {
    BRIDGE_ROUNDS = 4,   // each joins parts, so that more links lie between the same two parts
    MAX_QUESTIONS = 128, // edges of a round whose noise is computed with that of the poses
    SOLVE_ROUNDS = 8,    // at most, until a round accepts the same observations as the one before
    LAST_ACCEPTANCE = 5, // after so many rounds no rejected observation is accepted again
};

struct robust_solve {
    struct component *component;
    struct candidates *candidates; // of each link
    const struct mode **best;
    int64_t *support;       // of the best mode
    bool *is_bridge;        // without it scenes would be disconnected, so its best mode is accepted
    double tolerance;       // of intermediate solutions
    uint32_t round;         // with another model of the noise
    struct posegraph graph; // edge i is link i
};

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
solve(struct robust_solve *self)
{
    normal_equations_destroy(&self->component->normal);
    self->component->normal = posegraph_solve(&self->graph, self->tolerance);
}

// --- edges ---

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

// Admits edges that nothing supported and that fit now. Returns how many.
static size_t
admit(struct robust_solve *self)
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

// --- observations ---

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

// Accepts the observations of a link that agree with the poses. Returns whether they are others
// than before.
static bool
accept(struct robust_solve *self, size_t index, int round)
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
            accept(self, i, round);
}

// Solves for the poses by each accepted observation, not by the mean of each link: that would
// depend on which of its scenes comes first.
static void
solve_observations(struct robust_solve *self)
{
    const struct observations *observations = &self->component->observations;
    struct posegraph graph = self->graph;
    graph.edges = memory_take(observations->count * sizeof *graph.edges + 1);
    graph.edge_count = 0;
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *item = &observations->items[i];
        if (!item->is_accepted)
            continue;
        struct posegraph_edge *edge = &graph.edges[graph.edge_count++];
        *edge = (struct posegraph_edge){
            .from = item->a, .to = item->b, .motion = item->motion, .weight = item->weight};
        observations_inform(item, edge->information);
    }
    normal_equations_destroy(&self->component->normal);
    self->component->normal = posegraph_solve(&graph, POSEGRAPH_FINE);
    free(graph.edges);
}

// Repeats until the accepted observations are exactly those that agree with the poses.
static void
solve_fully(struct robust_solve *self)
{
    bool is_solved = false;
    for (int round = 0; round < SOLVE_ROUNDS && !effort_is_over(self->graph.effort); round++) {
        bool is_changed = false;
        for (size_t i = 0; i < self->graph.edge_count; i++)
            is_changed = accept(self, i, round) || is_changed;
        if (!is_changed && is_solved)
            return;
        reconnect(self, round);
        solve_observations(self);
        is_solved = true;
    }
}

// Accepts the observations of its best mode if an edge has a weight, else none.
static void
accept_mode(struct robust_solve *self, size_t index)
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

static void
accept_modes(struct robust_solve *self)
{
    for (size_t i = 0; i < self->graph.edge_count; i++)
        accept_mode(self, i);
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
    place_scenes(self);
    accept_modes(self);
    solve_observations(self);
    for (size_t i = 0; i < self->graph.edge_count; i++) {
        self->is_bridge[i] = self->graph.edges[i].weight > 0;
        accept(self, i, 0);
    }
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

// Keeps the poses where all edges fit: a later solve could not begin at others.
static void
solve_stage(struct robust_solve *self, size_t stage, const struct known_poses *known)
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

// By the robust solve, however long it takes.
static void
solve_all(struct robust_solve *self, const struct known_poses *known)
{
    choose_start(self);
    for (size_t stage = 0; stage < COMPONENT_STAGES && !effort_is_over(self->graph.effort) &&
                           (stage == 0 || admit(self));
         stage++)
        solve_stage(self, stage, known);
    if (effort_is_over(self->graph.effort))
        return;
    accept_modes(self);
    solve_fully(self);
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
        accept_mode(self, i);
    }
    solve_observations(self);
    for (size_t i = 0; i < count; i++)
        if (is_lost[i])
            accept(self, i, 0);
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
