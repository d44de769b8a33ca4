// solver_drift_test.c - devices whose coordinates drift while they walk: answers do not say that
// they are surer than they are, also where a device came back to scenes that it had been to.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

enum { COLUMNS = 8, SCENES = COLUMNS * COLUMNS, VISITORS = 80, WALK = 10, SEEDS = 5 };

#define SIGMA_T 0.05 // as correction_of claims
#define SIGMA_R 0.0175
#define DRIFT_T 0.16 // of a step: 2 % of 8 m
#define DRIFT_R 0.02
#define BEYOND 16.81 // chi-square of six degrees of freedom, 1 %

static struct random chance;
static struct rigid truths[SCENES]; // scene to world

static struct rigid
noise_of(double sigma_t, double sigma_r)
{
    double twist[6];
    for (int i = 0; i < 6; i++)
        twist[i] = random_normal(&chance, i < 3 ? sigma_t : sigma_r);
    return rigid_exp(twist);
}

static uint32_t
next_scene(uint32_t scene)
{
    const int steps[] = {1, -1, COLUMNS, -COLUMNS};
    for (;;) {
        int step = steps[random_below(&chance, 4)], next = (int)scene + step;
        bool is_beside = abs(step) != 1 || next / COLUMNS == (int)scene / COLUMNS;
        if (next >= 0 && next < SCENES && is_beside)
            return (uint32_t)next;
    }
}

static void
walk(evidence_t *evidence, uint64_t device)
{
    uint32_t scene = (uint32_t)random_below(&chance, SCENES);
    struct rigid frame = truths[scene];
    for (uint64_t i = 0; i < WALK; i++) {
        struct rigid back = rigid_invert(&truths[scene]), noise = noise_of(SIGMA_T, SIGMA_R);
        struct rigid drift = noise_of(DRIFT_T, DRIFT_R);
        struct rigid pose = rigid_compose(&back, &frame);
        pose = rigid_compose(&pose, &noise);
        struct correction correction = correction_of(device * WALK + i, scene + 1, device, &pose);
        evidence_put(evidence, &correction);
        frame = rigid_compose(&frame, &drift);
        scene = next_scene(scene);
    }
}

static evidence_t *
make_world(uint64_t seed)
{
    evidence_t *evidence = evidence_create();
    chance = (struct random){seed * 7919};
    for (int i = 0; i < SCENES; i++) {
        int row = i / COLUMNS;
        truths[i] = random_motion(&chance, 1);
        truths[i].translation[0] += 8.0 * (i % COLUMNS);
        truths[i].translation[2] += 8.0 * row;
    }
    for (uint64_t device = 1; device <= VISITORS; device++)
        walk(evidence, device);
    return evidence;
}

static struct {
    int count, beyond;
    double sum;
} all;

static void
measure(const solution_t *solution, uint32_t from, uint32_t to)
{
    struct relation relation;
    struct rigid back = rigid_invert(&truths[to]), truth = rigid_compose(&back, &truths[from]);
    double twist[6], chi_square;
    solution_relate(solution, from + 1, to + 1, NULL, NULL, &relation);
    struct rigid found = rigid_invert(&relation.motion);
    struct rigid error = rigid_compose(&truth, &found);
    rigid_log(&error, twist);
    if (relation.status == ALIGNMENT_PREDICTED &&
        matrix6_chi_square(relation.covariance, twist, &chi_square)) {
        all.count++;
        all.sum += chi_square / 6;
        all.beyond += chi_square > BEYOND;
    }
    free(relation.path);
}

// Of all pairs and several worlds together, by the whole covariance.
Test(solver_drift, answers_are_as_sure_as_they_say_where_devices_drift)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        evidence_t *evidence = make_world(seed);
        solution_t *solution = evidence_solve(evidence, NULL, 1);
        for (uint32_t from = 0; from < SCENES; from++)
            for (uint32_t to = from + 1; to < SCENES; to += 3)
                measure(solution, from, to);
        solution_unref(&solution);
        evidence_destroy(&evidence);
    }
    cr_assert_gt(all.count, SEEDS * SCENES * SCENES / 8);
    double nees = all.sum / all.count, beyond = (double)all.beyond / all.count;
    cr_assert(nees > 0.7 && nees < 1.3, "%.2f", nees);
    cr_assert_lt(beyond, 0.03, "%.3f", beyond);
}
