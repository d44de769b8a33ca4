// posegraph.c - how well and how fast pose graphs are solved, clean and with false edges, and how
// Ceres solves the same ones in between, where it is there.
//   bench_posegraph [--only=clean|random|alias|groups,...] FILE.g2o|SHAPE:POSES...
// The error is told in three ways. "residual": what the genuine edges differ by from the poses, and
// how many times that of the clean solution it is, by chi-square (the goal is 2). "ATE": the root
// of the mean square of how far nodes are from where the clean solution has them. And how many
// false edges were taken for right, how many genuine ones for wrong. As in published experiments of
// the kind the odometry (from each pose to the next) is trusted; nothing else is known. Ceres knows
// as much: it begins at the poses of a spanning tree of all edges, by squares, or, where some are
// false, at those of the odometry, by the loss of Cauchy.
#include "actors/alignment/solver/posegraph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actors/alignment/solver/component.h"
#include "actors/alignment/solver/initial_poses.h"
#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/observation_fusion.h"
#include "actors/alignment/solver/robust_solve.h"
#include "proto/base/memory.h"
#include "tests/bench/ceres_peer.h"
#include "tests/bench/noise.h"
#include "tests/bench/pose_graphs.h"
#include "tests/support/worlds.h"

// The CPU time of this process: neighbours on the machine do not count.
static double
now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct graph graph;

enum lie { LIE_RANDOM, LIE_ALIAS, LIE_GROUP, LIES };

static const char *const lies[LIES] = {"random", "alias", "groups of 5"};
static const char *wanted; // cases, or NULL = all

// Any motion, between any two nodes.
static void
lie(struct edge *edge, struct random *chance)
{
    edge->motion = random_motion(chance, graph.extent_m / 2);
    for (int axis = 0; axis < 4; axis++)
        edge->motion.rotation[axis] = random_normal(chance, 1);
    edge->motion = rigid_compose(&edge->motion, &rigid_identity);
    do {
        edge->from = (uint32_t)random_below(chance, graph.node_count);
        edge->to = (uint32_t)random_below(chance, graph.node_count);
    } while (edge->from == edge->to);
}

// The next node on both sides, as if the places were the same there too.
static void
lie_again(struct edge *edge, const struct edge *before)
{
    uint32_t from = before->from + 1, to = before->to + 1;
    if (from == graph.node_count || to == graph.node_count || from == to)
        return;
    // from' -> from, the lie, to -> to'
    struct rigid in = rigid_invert(&graph.clean[before->from]);
    struct rigid out = rigid_invert(&graph.clean[to]);
    in = rigid_compose(&in, &graph.clean[from]);
    out = rigid_compose(&out, &graph.clean[before->to]);
    edge->motion = rigid_compose(&before->motion, &in);
    edge->motion = rigid_compose(&out, &edge->motion);
    edge->from = from;
    edge->to = to;
}

// Adds false edges: any motions; those of genuine edges, as where two places look alike; or five at
// a time that agree with each other, as a device tells that comes past two such places.
static void
add_false_edges(double share, enum lie kind)
{
    enum { GROUP = 5 };
    struct random chance = {42};
    graph.edge_count = graph.genuine_count;
    for (size_t i = 0; i < (size_t)(share * (double)graph.genuine_count); i++) {
        struct edge copy = graph.edges[random_below(&chance, graph.genuine_count)];
        struct edge *edge = graph_add(&graph);
        struct rigid motion = copy.motion;
        *edge = copy;
        edge->is_false = true;
        edge->is_odometry = false;
        lie(edge, &chance);
        if (kind == LIE_ALIAS)
            edge->motion = motion;
        if (kind == LIE_GROUP && i % GROUP > 0)
            lie_again(edge, edge - 1);
    }
}

static double scale_now = 1;

static void
rescale(struct component *component)
{
    scale_now = noise_scale(component);
    for (size_t i = 0; i < component->observations.count; i++)
        for (int k = 0; k < MATRIX6_SIZE; k++)
            component->observations.items[i].information[k] /= scale_now;
}

static bool is_odometry_trusted = true;

// Each edge is what one device says; `left_out` is an edge that is not there.
static struct component *
component_of_graph(size_t left_out)
{
    uint64_t *scenes = memory_take(graph.node_count * sizeof *scenes);
    double *centres = memory_take_zeroed(graph.node_count * 3 * sizeof *centres);
    struct component_correction *corrections =
        memory_take_zeroed(graph.edge_count * sizeof *corrections);
    for (uint32_t i = 0; i < graph.node_count; i++)
        scenes[i] = i + 1;
    struct component *component =
        component_create(graph.node_count, &scenes, &centres, 0, &corrections);
    struct observations *observations = &component->observations;
    component->poses = memory_take(graph.node_count * sizeof *component->poses);
    observations->items = memory_take_zeroed(graph.edge_count * sizeof *observations->items);
    for (size_t i = 0; i < graph.edge_count; i++) {
        const struct edge *edge = &graph.edges[i];
        if (i == left_out)
            continue;
        struct observation *item = &observations->items[observations->count++];
        bool is_ordered = edge->from < edge->to;
        *item = (struct observation){.a = is_ordered ? edge->from : edge->to,
                                     .b = is_ordered ? edge->to : edge->from,
                                     .correction_a = (uint32_t)i,
                                     .device = i,
                                     .weight = 1,
                                     .motion = edge->motion,
                                     .is_pinned = is_odometry_trusted && edge->is_odometry};
        memcpy(item->information, edge->information, sizeof item->information);
        if (!is_ordered) {
            double adjoint[36];
            item->motion = rigid_invert(&edge->motion);
            rigid_adjoint(&edge->motion, adjoint);
            matrix6_pull(adjoint, edge->information, item->information);
        }
    }
    observations_index(observations);
    rescale(component);
    return component;
}

// Root of the mean square of what genuine edges differ by from the poses, metres and radians; and
// of their chi-square.
static void
residuals_of(const struct rigid *poses, double *ret_distance_m, double *ret_angle_rad,
             double *ret_chi)
{
    double squares[3] = {0};
    for (size_t i = 0; i < graph.genuine_count; i++) {
        const struct edge *edge = &graph.edges[i];
        struct rigid back = rigid_invert(&poses[edge->to]);
        struct rigid motion = rigid_compose(&back, &poses[edge->from]);
        struct rigid error = rigid_between(&motion, &edge->motion);
        double distance_m, angle_rad, twist[6];
        rigid_difference(&motion, &edge->motion, &distance_m, &angle_rad);
        rigid_log(&error, twist);
        squares[0] += distance_m * distance_m;
        squares[1] += angle_rad * angle_rad;
        squares[2] += matrix6_form(edge->information, twist);
    }
    *ret_distance_m = sqrt(squares[0] / (double)graph.genuine_count);
    *ret_angle_rad = sqrt(squares[1] / (double)graph.genuine_count);
    *ret_chi = sqrt(squares[2] / (double)graph.genuine_count);
}

// Absolute error of the trajectory, root of the mean square: both have the pose of the first node.
static double
trajectory_error(const struct rigid *poses)
{
    double sum = 0;
    for (uint32_t i = 0; i < graph.node_count; i++) {
        double distance_m, angle_rad;
        rigid_difference(&poses[i], &graph.clean[i], &distance_m, &angle_rad);
        sum += distance_m * distance_m;
    }
    return sqrt(sum / graph.node_count);
}

static double clean_chi, clean_s; // the error of the clean solution, and what it took

// --- the peer ---

#ifdef HAS_CERES
static struct ceres_edge
ceres_edge_of(const struct edge *edge)
{
    struct ceres_edge copy = {.from = (int)edge->from, .to = (int)edge->to};
    memcpy(copy.rotation, edge->motion.rotation, sizeof copy.rotation);
    memcpy(copy.translation, edge->motion.translation, sizeof copy.translation);
    memcpy(copy.information, edge->information, sizeof copy.information);
    return copy;
}

// Poses along a tree: breadth first, along the odometry alone if others may be false.
static void
spread_poses(bool is_clean, struct rigid *ret_poses)
{
    struct posegraph_edge *edges = memory_take_zeroed(graph.edge_count * sizeof *edges);
    int64_t *support = memory_take(graph.edge_count * sizeof *support);
    bool *is_placed = memory_take_zeroed(graph.node_count);
    for (size_t i = 0; i < graph.edge_count; i++) {
        const struct edge *edge = &graph.edges[i];
        edges[i].from = edge->from;
        edges[i].to = edge->to;
        edges[i].motion = edge->motion;
        support[i] = is_clean || edge->is_odometry ? INITIAL_POSES_SUPPORT : 1;
    }
    initial_poses_place(graph.node_count, edges, support, graph.edge_count, is_placed, ret_poses);
    free(edges);
    free(support);
    free(is_placed);
}

static double
solve_by_peer(bool is_clean, struct rigid *ret_poses)
{
    struct ceres_edge *edges = memory_take(graph.edge_count * sizeof *edges);
    struct ceres_pose *poses = memory_take(graph.node_count * sizeof *poses);
    for (size_t i = 0; i < graph.edge_count; i++)
        edges[i] = ceres_edge_of(&graph.edges[i]);
    spread_poses(is_clean, ret_poses);
    for (uint32_t i = 0; i < graph.node_count; i++) {
        memcpy(poses[i].rotation, ret_poses[i].rotation, sizeof poses[i].rotation);
        memcpy(poses[i].translation, ret_poses[i].translation, sizeof poses[i].translation);
    }
    double start_s = now_s();
    ceres_peer_solve(edges, (int)graph.edge_count, poses, scale_now, is_clean ? 0 : 2.4);
    double solved_s = now_s() - start_s;
    for (uint32_t i = 0; i < graph.node_count; i++) {
        memcpy(ret_poses[i].rotation, poses[i].rotation, sizeof poses[i].rotation);
        memcpy(ret_poses[i].translation, poses[i].translation, sizeof poses[i].translation);
    }
    free(edges);
    free(poses);
    return solved_s;
}

static void
measure_peer(bool is_clean, double own_s, double own_chi)
{
    struct rigid *poses = memory_take(graph.node_count * sizeof *poses);
    double solved_s = solve_by_peer(is_clean, poses), distance_m, angle_rad, chi;
    residuals_of(poses, &distance_m, &angle_rad, &chi);
    printf("    %-20s residual %.4f m %.4f rad (x %.3f of clean), ATE to clean %.4f m, %.0f ms; "
           "ours takes x %.2f of that and has x %.4f of its sum of squares\n",
           "Ceres", distance_m, angle_rad, chi / clean_chi, trajectory_error(poses), solved_s * 1e3,
           own_s / solved_s, own_chi * own_chi / (chi * chi));
    free(poses);
}
#else
static void
measure_peer(bool is_clean, double own_s, double own_chi)
{
    (void)is_clean;
    (void)own_s;
    (void)own_chi;
}
#endif

// --- cases ---

// How many edges lie within the gate at these poses, and the sum of squares, cut there: what the
// solve looks for is the least of it.
static size_t
count_fitting(const struct component *component, const struct rigid *poses, double *ret_sum)
{
    size_t fitting = 0;
    *ret_sum = 0;
    for (size_t i = 0; i < component->observations.count; i++) {
        const struct observation *item = &component->observations.items[i];
        struct rigid back = rigid_invert(&poses[item->b]);
        struct rigid motion = rigid_compose(&back, &poses[item->a]);
        double chi_square = fusion_chi_square(item, &motion);
        fitting += chi_square <= POSEGRAPH_GATE;
        *ret_sum += fmin(chi_square, POSEGRAPH_GATE);
    }
    return fitting;
}

// Whether a wrong answer is the better explanation of what was said, or only where the solve ended.
static void
compare_evidence(const struct component *component)
{
    double own, clean;
    size_t fitting = count_fitting(component, component->poses, &own);
    size_t at_clean = count_fitting(component, graph.clean, &clean);
    printf("    %-20s %zu edges fit these poses (cut sum of squares %.0f), %zu the clean ones "
           "(%.0f)\n",
           "evidence", fitting, own, at_clean, clean);
}

static void
measure(const char *name, bool is_clean)
{
    struct component *component = component_of_graph(SIZE_MAX);
    double start_s = now_s();
    if (!robust_solve(component, 0, NULL))
        robust_solve_by_trees(component);
    double solved_s = now_s() - start_s, distance_m, angle_rad, chi;
    residuals_of(component->poses, &distance_m, &angle_rad, &chi);
    if (is_clean) {
        memcpy(graph.clean, component->poses, graph.node_count * sizeof *graph.clean);
        clean_chi = chi;
        clean_s = solved_s;
        for (uint32_t i = 0; i < graph.node_count; i++)
            for (int axis = 0; axis < 3; axis++)
                graph.extent_m = fmax(graph.extent_m, 2 * fabs(graph.clean[i].translation[axis]));
    }
    size_t missed = 0, falsely = 0, all = 0;
    for (size_t i = 0; i < component->observations.count; i++) {
        const struct observation *item = &component->observations.items[i];
        bool is_false = graph.edges[item->correction_a].is_false;
        all += is_false;
        missed += is_false && item->is_accepted;
        falsely += !is_false && !item->is_accepted;
    }
    printf("  %-22s residual %.4f m %.4f rad (x %.3f of clean), ATE to clean %.4f m, false %zu, "
           "missed %zu, good ones rejected %zu; noise x %.1e, %.0f ms\n",
           name, distance_m, angle_rad, chi / clean_chi, trajectory_error(component->poses), all,
           missed, falsely, scale_now, solved_s * 1e3);
    if (!is_clean)
        compare_evidence(component);
    component_unref(&component);
    measure_peer(is_clean, solved_s, chi);
}

// One more: the last genuine edge that is not of the odometry.
static void
measure_one_more(void)
{
    size_t left_out = graph.genuine_count - 1;
    while (graph.edges[left_out].is_odometry)
        left_out--;
    struct component *before = component_of_graph(left_out), *after = component_of_graph(SIZE_MAX);
    (void)robust_solve(before, 0, NULL);
    bool *is_known = memory_take(graph.node_count * sizeof *is_known);
    memset(is_known, true, graph.node_count);
    struct known_poses known = {.is_known = is_known};
    memcpy(known.stages, before->stages, sizeof known.stages);
    for (int stage = 0; stage <= COMPONENT_STAGES; stage++)
        known.factors[0][stage] =
            before->factors[0][stage] ? before->factors[0][stage] : before->factor;
    double start_s = now_s();
    (void)robust_solve(after, 0, &known);
    double solved_s = now_s() - start_s, apart_m = 0, distance_m, angle_rad;
    for (uint32_t i = 0; i < graph.node_count; i++) {
        rigid_difference(&after->poses[i], &graph.clean[i], &distance_m, &angle_rad);
        apart_m = fmax(apart_m, fmax(distance_m, angle_rad));
    }
    printf("  %-22s %.0f ms, x %.2f of a solve from scratch; differs from it by %.1e\n",
           "one more edge", solved_s * 1e3, solved_s / clean_s, apart_m);
    free(is_known);
    component_unref(&before);
    component_unref(&after);
}

// The same graph the whole way, from corrections to what is told: each edge is a device that was at
// the origin of one scene, with the noise that it has there in all directions alike.
static void
put_edge(evidence_t *evidence, size_t index)
{
    const struct edge *edge = &graph.edges[index];
    double sigma_t = sqrt(scale_now / 2), sigma_r = sqrt(scale_now / 2);
    for (int i = 0; i < 2; i++) {
        struct correction correction =
            correction_of(index * 2 + (size_t)i, (i ? edge->to : edge->from) + 1, index + 1,
                          i ? &edge->motion : &rigid_identity);
        correction.sigma_t_m = sigma_t;
        correction.sigma_r_rad = sigma_r;
        evidence_put(evidence, &correction);
    }
}

static void
measure_whole_way(void)
{
    evidence_t *evidence = evidence_create();
    for (size_t i = 0; i + 1 < graph.genuine_count; i++)
        put_edge(evidence, i);
    double start_s = now_s();
    solution_t *before = evidence_solve(evidence, NULL, 0);
    double scratch_s = now_s() - start_s, largest = 0;
    put_edge(evidence, graph.genuine_count - 1);
    start_s = now_s();
    solution_t *after = evidence_solve(evidence, before, 0);
    double more_s = now_s() - start_s;
    solution_t *afresh = evidence_solve(evidence, NULL, 0);
    start_s = now_s();
    for (uint32_t to = 2; to <= graph.node_count; to += 17) {
        struct relation one, other;
        double distance_m, angle_rad;
        solution_relate(after, 1, to, NULL, NULL, &one);
        solution_relate(afresh, 1, to, NULL, NULL, &other);
        rigid_difference(&one.motion, &other.motion, &distance_m, &angle_rad);
        largest = fmax(largest, fmax(distance_m, angle_rad));
        free(one.path);
        free(other.path);
    }
    double relate_s = (now_s() - start_s) / (2.0 * (graph.node_count / 17));
    printf("  %-22s from corrections: scratch %.0f ms, one more %.0f ms (differs by %.1e), "
           "a pair with its covariance %.2f ms, %s\n",
           "the whole way", scratch_s * 1e3, more_s * 1e3, largest, relate_s * 1e3,
           solution_confidence(after, 1));
    solution_unref(&before);
    solution_unref(&after);
    solution_unref(&afresh);
    evidence_destroy(&evidence);
}

static void
run_graph(const char *path)
{
    bool is_whole = strstr(path, "garage"); // its informations are those of corrections
    if (!graph_open(&graph, path)) {
        printf("%s cannot be read: skipped\n", path);
        return;
    }
    printf("%s: %u poses, %zu edges, %zu lines left out\n", path, graph.node_count,
           graph.edge_count, graph.left_out);
    measure("clean", true);
    measure_one_more();
    if (is_whole)
        measure_whole_way();
    for (int kind = 0; kind < LIES; kind++)
        for (int share = 10; share <= 30; share += 20) {
            char name[64];
            if (wanted && !strstr(wanted, (const char *[]){"random", "alias", "groups"}[kind]))
                continue;
            snprintf(name, sizeof name, "%d %% false, %s", share, lies[kind]);
            add_false_edges(share / 100.0, (enum lie)kind);
            measure(name, false);
        }
    graph_finish(&graph);
}

int
main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    setenv("OMP_NUM_THREADS", "1", true); // of CHOLMOD below Ceres
#ifndef HAS_CERES
    printf("libceres-dev is not there: no times of Ceres\n");
#endif
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--only=", 7) == 0)
            wanted = argv[i] + 7;
        else
            run_graph(argv[i]);
    return 0;
}
