// posegraph_test.c - small graphs whose solution is known, covariances that can be added by hand,
// and evidence that is wrong.
#include "actors/alignment/solver/posegraph.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "tests/support/worlds.h"

static struct rigid
moved(double x, double y, double z)
{
    return (struct rigid){.rotation = {1, 0, 0, 0}, .translation = {x, y, z}};
}

static struct posegraph_edge
edge_of(uint32_t from, uint32_t to, struct rigid motion, double precision)
{
    struct posegraph_edge edge = {.from = from, .to = to, .motion = motion, .weight = 1};
    for (int i = 0; i < 6; i++)
        edge.information[i * 7] = precision;
    return edge;
}

static void
expect_motion(const struct rigid *expected, const struct rigid *actual, double tolerance)
{
    double distance_m, angle_rad;
    rigid_difference(expected, actual, &distance_m, &angle_rad);
    cr_assert_lt(distance_m, tolerance);
    cr_assert_lt(angle_rad, tolerance);
}

// Poses such that edges of motion to^-1 * from agree with them.
static struct rigid
between(const struct rigid *poses, uint32_t from, uint32_t to)
{
    struct rigid back = rigid_invert(&poses[to]);
    return rigid_compose(&back, &poses[from]);
}

Test(posegraph, two_equal_edges_meet_in_the_middle)
{
    struct rigid poses[] = {rigid_identity, rigid_identity};
    struct posegraph_edge edges[] = {edge_of(1, 0, moved(1, 0, 0), 4),
                                     edge_of(1, 0, moved(3, 0, 0), 4)};
    struct posegraph graph = {2, poses, edges, 2, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    struct rigid expected = moved(2, 0, 0);
    expect_motion(&expected, &poses[1], 1e-9);
    kept_factor_destroy(&factor);
}

Test(posegraph, edges_count_by_their_information)
{
    struct rigid poses[] = {rigid_identity, rigid_identity};
    struct posegraph_edge edges[] = {edge_of(1, 0, moved(1, 0, 0), 3),
                                     edge_of(1, 0, moved(5, 0, 0), 1)};
    struct posegraph graph = {2, poses, edges, 2, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    struct rigid expected = moved(2, 0, 0);
    expect_motion(&expected, &poses[1], 1e-9);
    kept_factor_destroy(&factor);
}

// Each of the three sides of the triangle takes a third of what is left over.
Test(posegraph, a_cycle_shares_what_is_left_over)
{
    struct rigid poses[] = {rigid_identity, moved(1, 0, 0), moved(2, 0, 0)};
    struct posegraph_edge edges[] = {edge_of(1, 0, moved(1, 0, 0), 1),
                                     edge_of(2, 1, moved(1, 0, 0), 1),
                                     edge_of(2, 0, moved(2.3, 0, 0), 1)};
    struct posegraph graph = {3, poses, edges, 3, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    struct rigid first = moved(1.1, 0, 0), second = moved(2.2, 0, 0);
    expect_motion(&first, &poses[1], 1e-9);
    expect_motion(&second, &poses[2], 1e-9);
    kept_factor_destroy(&factor);
}

Test(posegraph, exact_edges_are_found_exactly_from_a_bad_start)
{
    enum { NODES = 30 };
    struct random chance = {3};
    struct rigid truth[NODES], poses[NODES];
    static struct posegraph_edge edges[NODES * 3];
    size_t count = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        truth[i] = i ? random_motion(&chance, 5) : rigid_identity;
        double twist[6];
        for (int k = 0; k < 6; k++)
            twist[k] = i ? random_between(&chance, -0.3, 0.3) : 0;
        struct rigid off = rigid_exp(twist);
        poses[i] = rigid_compose(&truth[i], &off);
    }
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t k = 1; k <= 3; k++)
            edges[count++] = edge_of(i, (i + k) % NODES, between(truth, i, (i + k) % NODES), 100);
    struct posegraph graph = {NODES, poses, edges, count, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    for (uint32_t i = 0; i < NODES; i++)
        expect_motion(&truth[i], &poses[i], 1e-8);
    kept_factor_destroy(&factor);
}

// Variances of a chain add, carried to the coordinates of its end.
Test(posegraph, covariance_of_a_chain_is_the_sum_of_its_links)
{
    enum { NODES = 12 };
    struct random chance = {9};
    struct rigid poses[NODES] = {rigid_identity};
    struct posegraph_edge edges[NODES - 1];
    double expected[36] = {0}, actual[36];
    for (uint32_t i = 1; i < NODES; i++) {
        poses[i] = random_motion(&chance, 3);
        edges[i - 1] = edge_of(i - 1, i, between(poses, i - 1, i), 1);
        for (int k = 0; k < 6; k++)
            edges[i - 1].information[k * 7] = random_between(&chance, 50, 900);
    }
    for (uint32_t i = 1; i < NODES; i++) {
        double covariance[36];
        rigid_carry_covariance(&edges[i - 1].motion, expected, expected);
        cr_assert(matrix6_invert(edges[i - 1].information, covariance));
        matrix6_add(expected, 1, covariance);
    }
    struct posegraph graph = {NODES, poses, edges, NODES - 1, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    kept_factor_covariance(factor, poses, 0, NODES - 1, actual);
    for (int i = 0; i < 36; i++)
        cr_assert_float_eq(expected[i], actual[i], 1e-9 * fmax(1, fabs(expected[i])));
    kept_factor_destroy(&factor);
}

// Parallel links of equal noise: half of the variance; also between nodes that are not the gauge.
Test(posegraph, covariance_of_two_ways_is_half_of_one)
{
    struct rigid poses[] = {rigid_identity, moved(1, 0, 0), moved(1, 2, 0)};
    struct posegraph_edge edges[] = {edge_of(0, 1, between(poses, 0, 1), 7),
                                     edge_of(1, 2, between(poses, 1, 2), 8),
                                     edge_of(1, 2, between(poses, 1, 2), 8)};
    struct posegraph graph = {3, poses, edges, 3, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    double covariance[36];
    kept_factor_covariance(factor, poses, 1, 2, covariance);
    for (int row = 0; row < 6; row++)
        for (int column = 0; column < 6; column++)
            cr_assert_float_eq(covariance[row * 6 + column], row == column ? 1.0 / 16 : 0, 1e-12);
    kept_factor_destroy(&factor);
}

Test(posegraph, one_node_alone_is_solved)
{
    struct rigid poses[] = {rigid_identity};
    struct posegraph graph = {1, poses, NULL, 0, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    double covariance[36];
    kept_factor_covariance(factor, poses, 0, 0, covariance);
    cr_assert_eq(covariance[0], 0);
    kept_factor_destroy(&factor);
}

// A ring of 20 with a chord at each node, a third of the chords wrong: exactly these are left out.
Test(posegraph, judge_leaves_out_what_is_wrong_and_nothing_else)
{
    enum { NODES = 20 };
    struct random chance = {11};
    struct rigid poses[NODES];
    static struct posegraph_edge edges[NODES * 3];
    size_t count = 0;
    for (uint32_t i = 0; i < NODES; i++)
        poses[i] = i ? random_motion(&chance, 5) : rigid_identity;
    for (uint32_t step = 1; step <= 3; step++)
        for (uint32_t i = 0; i < NODES; i++) {
            struct rigid motion = between(poses, i, (i + step) % NODES);
            bool is_wrong = step == 3 && i % 3 == 0;
            struct rigid off = is_wrong ? random_motion(&chance, 3) : rigid_identity;
            edges[count++] = edge_of(i, (i + step) % NODES, rigid_compose(&off, &motion), 400);
        }
    struct posegraph graph = {NODES, poses, edges, count, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_COARSE);
    cr_assert(posegraph_judge(&graph));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(edges[i].weight, i >= 2 * NODES && (i - 2 * NODES) % 3 == 0 ? 0 : 1);
    kept_factor_destroy(&factor);
}

Test(posegraph, judge_never_leaves_out_what_is_kept)
{
    struct rigid poses[] = {rigid_identity, rigid_identity};
    struct posegraph_edge edges[] = {edge_of(1, 0, moved(1, 0, 0), 1000),
                                     edge_of(1, 0, moved(1, 0, 0), 1000),
                                     edge_of(1, 0, moved(9, 0, 0), 1000)};
    edges[2].is_kept = true;
    struct posegraph graph = {2, poses, edges, 3, NULL, NULL, NULL};
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_COARSE);
    posegraph_judge(&graph);
    cr_assert_eq(edges[2].weight, 1);
    kept_factor_destroy(&factor);
}

// --- two starts ---

enum { RING = 12 };

// A ring of nodes that all stand at the same place. Turned once around, each edge is as wrong as
// the next one, so that nothing leads out.
static void
make_ring(struct posegraph_edge *edges, struct rigid *straight, struct rigid *wound)
{
    for (uint32_t i = 0; i < RING; i++) {
        double half = 3.14159265358979 * i / RING;
        edges[i] = edge_of(i, (i + 1) % RING, moved(0, 0, 0), 4);
        straight[i] = wound[i] = rigid_identity;
        wound[i].rotation[0] = cos(half);
        wound[i].rotation[3] = sin(half);
    }
}

Test(posegraph, the_better_of_two_minima_is_taken)
{
    struct posegraph_edge edges[RING];
    struct rigid straight[RING], wound[RING], poses[RING];
    make_ring(edges, straight, wound);
    struct posegraph graph = {RING, poses, edges, RING, NULL, NULL, NULL};
    memcpy(poses, wound, sizeof poses);
    kept_factor_t *factor = posegraph_solve(&graph, POSEGRAPH_FINE);
    expect_motion(&wound[RING / 2], &poses[RING / 2], 1e-9);
    kept_factor_destroy(&factor);
    for (int order = 0; order < 2; order++) {
        memcpy(poses, order ? straight : wound, sizeof poses);
        factor = posegraph_solve_better(&graph, order ? wound : straight, POSEGRAPH_FINE);
        cr_assert_not_null(factor);
        for (int i = 0; i < RING; i++)
            expect_motion(&straight[i], &poses[i], 1e-9);
        kept_factor_destroy(&factor);
    }
}

// --- led by a factor of before ---

enum { WIDTH = 30, RING_NODES = WIDTH * WIDTH, RING_EDGES = RING_NODES * 2 };

static struct rigid ring_poses[RING_NODES], ring_truth[RING_NODES];
static struct posegraph_edge ring_edges[RING_EDGES + 1];

static void
measure_edge(struct random *chance, size_t index, uint32_t from, uint32_t to)
{
    double twist[6];
    for (int i = 0; i < 6; i++)
        twist[i] = random_normal(chance, 0.02);
    struct rigid motion = between(ring_truth, from, to), noise = rigid_exp(twist);
    ring_edges[index] = edge_of(from, to, rigid_compose(&noise, &motion), 2500);
}

// Rings of nodes beside each other, 8 m apart; the last edge crosses them.
static void
make_rings(void)
{
    struct random chance = {3};
    for (uint32_t i = 0; i < RING_NODES; i++)
        ring_truth[i] = moved(8.0 * (i % WIDTH), 8.0 * (i / WIDTH), 0);
    memcpy(ring_poses, ring_truth, sizeof ring_truth);
    for (uint32_t i = 0; i < RING_NODES; i++) {
        measure_edge(&chance, i * 2, i, i / WIDTH * WIDTH + (i + 1) % WIDTH);
        measure_edge(&chance, i * 2 + 1, i, (i + WIDTH) % RING_NODES);
    }
    measure_edge(&chance, RING_EDGES, 3, RING_NODES / 2 + 8);
}

#define MOST_WORK 1e12

// Returns the operations that it took.
static double
solve_rings(const struct rigid *start, size_t edge_count, kept_factor_t **factor)
{
    struct effort effort = {.left = MOST_WORK};
    struct posegraph graph = {RING_NODES, ring_poses, ring_edges, edge_count,
                              &effort,    NULL,       *factor};
    memcpy(ring_poses, start, sizeof ring_poses);
    kept_factor_t *next = posegraph_solve(&graph, POSEGRAPH_FINE);
    kept_factor_destroy(factor);
    *factor = next;
    return MOST_WORK - effort.left;
}

Test(posegraph, one_more_edge_is_led_by_the_factor_of_before_to_where_its_own_leads)
{
    static struct rigid before[RING_NODES], led[RING_NODES];
    kept_factor_t *factor = NULL;
    make_rings();
    solve_rings(ring_truth, RING_EDGES, &factor);
    memcpy(before, ring_poses, sizeof before);
    double led_work = solve_rings(before, RING_EDGES + 1, &factor);
    memcpy(led, ring_poses, sizeof led);
    cr_expect_not(kept_factor_is_exact(factor));
    kept_factor_destroy(&factor);
    double work = solve_rings(before, RING_EDGES + 1, &factor);
    for (uint32_t i = 0; i < RING_NODES; i++)
        expect_motion(&ring_poses[i], &led[i], 1e-8);
    cr_expect_lt(led_work, work / 2, "%g of %g", led_work, work);
    kept_factor_destroy(&factor);
}
