// kept_factor_test.c - the factor of a ring of nodes answers for rings that are nearly the same.
#include "actors/alignment/solver/kept_factor.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/posegraph.h"
#include "tests/support/worlds.h"

enum { NODES = 100, MOST_EDGES = NODES * 3 };

static struct rigid poses[NODES];
static struct posegraph_edge edges[MOST_EDGES];
static struct posegraph graph;

static void
connect(uint32_t from, uint32_t to)
{
    struct posegraph_edge *edge = &edges[graph.edge_count++];
    struct rigid back = rigid_invert(&poses[to]);
    *edge = (struct posegraph_edge){
        .from = from, .to = to, .motion = rigid_compose(&back, &poses[from]), .weight = 1};
    for (int i = 0; i < 6; i++)
        edge->information[i * 7] = i < 3 ? 400 : 2500;
}

// A ring 8 m from node to node, which each edge agrees with.
static void
begin(void)
{
    struct random chance = {1};
    graph = (struct posegraph){.node_count = NODES, .poses = poses, .edges = edges};
    for (uint32_t i = 0; i < NODES; i++) {
        double around = 2 * 3.14159265358979 * i / NODES;
        poses[i] = i ? random_motion(&chance, 1) : rigid_identity;
        poses[i].translation[0] += 127 * cos(around);
        poses[i].translation[1] += 127 * sin(around);
    }
    for (uint32_t i = 0; i + 1 < NODES; i++)
        connect(i, i + 1);
    for (uint32_t i = 0; i + 2 < NODES; i++)
        connect(i, i + 2);
    connect(0, NODES - 1);
}

TestSuite(kept_factor, .init = begin);

static kept_factor_t *
change(const kept_factor_t *factor)
{
    static struct kept_pair pairs[MOST_EDGES];
    memset(pairs, 0, sizeof pairs);
    for (size_t i = 0; i < graph.edge_count; i++) {
        pairs[i] = (struct kept_pair){.from = edges[i].from, .to = edges[i].to};
        matrix6_add(pairs[i].information, edges[i].weight, edges[i].information);
    }
    return kept_factor_change(factor, pairs, graph.edge_count);
}

static void
expect_covariances(const kept_factor_t *expected, const kept_factor_t *actual)
{
    for (uint32_t to = 0; to < NODES; to += 7) {
        double left[36], right[36];
        kept_factor_covariance(expected, poses, 5, to, left);
        kept_factor_covariance(actual, poses, 5, to, right);
        for (int i = 0; i < 36; i++)
            cr_expect_float_eq(left[i], right[i], 1e-9 * (1 + fabs(left[i])), "to %d: %g, %g",
                               (int)to, left[i], right[i]);
    }
}

Test(kept_factor, covariances_are_those_of_a_factor_with_edges_that_came_went_and_weigh_more)
{
    kept_factor_t *factor = posegraph_factor(&graph);
    edges[3].weight = 0;
    edges[7].weight = 2;
    connect(9, 30);
    graph.edges[3] = graph.edges[--graph.edge_count];
    kept_factor_t *changed = change(factor), *anew = posegraph_factor(&graph);
    cr_assert_not_null(changed);
    cr_expect_not(kept_factor_is_exact(changed));
    expect_covariances(anew, changed);
    kept_factor_destroy(&factor); // the changed one goes on
    expect_covariances(anew, changed);
    kept_factor_destroy(&changed);
    kept_factor_destroy(&anew);
}

// What an edge says of coordinates that begin elsewhere is the same.
static void
shift_all(const double *shifts)
{
    static struct rigid by[NODES];
    double adjoint[36];
    for (uint32_t i = 0; i < NODES; i++) {
        by[i] = rigid_identity;
        memcpy(by[i].translation, shifts + i * 3, sizeof by[i].translation);
        poses[i] = rigid_compose(&poses[i], &by[i]);
    }
    for (size_t i = 0; i < graph.edge_count; i++) {
        struct rigid back = rigid_invert(&by[edges[i].to]);
        edges[i].motion = rigid_compose(&edges[i].motion, &by[edges[i].from]);
        edges[i].motion = rigid_compose(&back, &edges[i].motion);
        rigid_adjoint(&by[edges[i].to], adjoint);
        matrix6_pull(adjoint, edges[i].information, edges[i].information);
    }
}

Test(kept_factor, covariances_are_those_of_a_factor_of_coordinates_that_begin_elsewhere)
{
    static double shifts[NODES * 3];
    struct random chance = {2};
    for (int i = 0; i < NODES * 3; i++)
        shifts[i] = i % 4 ? random_between(&chance, -3, 3) : 0;
    kept_factor_t *factor = posegraph_factor(&graph);
    kept_factor_t *shifted = kept_factor_shift(factor, shifts);
    shift_all(shifts);
    kept_factor_t *changed = change(shifted), *anew = posegraph_factor(&graph);
    cr_expect_lt(kept_factor_strain(changed, poses), 1e-9);
    expect_covariances(anew, changed);
    kept_factor_destroy(&factor);
    kept_factor_destroy(&shifted);
    kept_factor_destroy(&changed);
    kept_factor_destroy(&anew);
}

// By how much less the sum of squares of an edge is per twist of a node, halved.
static double
pull_of(struct rigid *at, const struct posegraph_edge *edge, uint32_t node, int axis)
{
    double sums[2], unused[6];
    struct rigid kept = at[node];
    for (int side = 0; side < 2; side++) {
        double twist[6] = {0};
        twist[axis] = side ? 1e-6 : -1e-6;
        struct rigid by = rigid_exp(twist);
        at[node] = rigid_compose(&kept, &by);
        sums[side] = posegraph_residual(at, edge, unused);
    }
    at[node] = kept;
    return (sums[0] - sums[1]) / 4e-6;
}

static void
take_step(const kept_factor_t *factor, struct rigid *at)
{
    static double pulls[NODES * 6], steps[NODES * 6];
    memset(pulls, 0, sizeof pulls);
    for (size_t i = 0; i < graph.edge_count; i++)
        for (int axis = 0; axis < 6; axis++) {
            uint32_t from = edges[i].from, to = edges[i].to;
            if (from)
                pulls[(from - 1) * 6 + (uint32_t)axis] += pull_of(at, &edges[i], from, axis);
            if (to)
                pulls[(to - 1) * 6 + (uint32_t)axis] += pull_of(at, &edges[i], to, axis);
        }
    kept_factor_step(factor, at, pulls, steps);
    for (uint32_t node = 1; node < NODES; node++) {
        struct rigid by = rigid_exp(steps + (node - 1) * 6);
        at[node] = rigid_compose(&at[node], &by);
    }
}

// A chord pulls the ring by decimetres.
Test(kept_factor, it_leads_to_the_solution_that_a_factor_of_now_leads_to)
{
    static struct rigid led[NODES];
    double distance_m, angle_rad, apart = 0, way = 0;
    kept_factor_t *factor = posegraph_factor(&graph);
    connect(2, 50);
    edges[graph.edge_count - 1].motion.translation[0] += 0.5;
    memcpy(led, poses, sizeof led);
    kept_factor_t *anew = posegraph_solve(&graph, POSEGRAPH_FINE), *changed = change(factor);
    for (uint32_t node = 0; node < NODES; node++) {
        rigid_difference(&poses[node], &led[node], &distance_m, &angle_rad);
        way = fmax(way, distance_m);
    }
    for (int step = 0; step < 4; step++)
        take_step(changed, led);
    for (uint32_t node = 0; node < NODES; node++) {
        rigid_difference(&poses[node], &led[node], &distance_m, &angle_rad);
        apart = fmax(apart, distance_m + angle_rad);
    }
    cr_expect_gt(way, 0.1, "%g", way);
    cr_expect_lt(apart, way / 2e4, "%g of %g", apart, way);
    kept_factor_destroy(&factor);
    kept_factor_destroy(&anew);
    kept_factor_destroy(&changed);
}

// An edge tells 5 cm and 1/50 rad: 2.5 m of a way as well as a turn by one.
Test(kept_factor, the_strain_is_what_nodes_moved_by_as_a_share_of_what_edges_tell)
{
    kept_factor_t *factor = posegraph_factor(&graph);
    cr_expect_lt(kept_factor_strain(factor, poses), 1e-12);
    poses[7].translation[1] += 0.25;
    cr_expect_float_eq(kept_factor_strain(factor, poses), 0.1, 1e-9);
    kept_factor_destroy(&factor);
}

Test(kept_factor, too_many_changes_are_not_led)
{
    kept_factor_t *factor = posegraph_factor(&graph);
    for (size_t i = 0; i < graph.edge_count; i++)
        edges[i].weight = 2;
    cr_expect_null(change(factor));
    kept_factor_destroy(&factor);
}
