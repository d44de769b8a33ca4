// solver_continued_test.c - a solver that ran all the time answers as one that was started anew,
// where a component is so large that the factor of the solution before leads the next one: rings of
// scenes to which devices that are right and wrong come, and whose corrections are removed.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

#define SAME 1e-6      // metres and radians
#define SAME_SIGMA 0.1 // of a sigma: what scenes may have moved by since the factor was made
#define SIGMA_T 0.05   // of a correction, metres
#define SIGMA_R 0.0174533

enum { WIDTH = 30, SCENES = WIDTH * WIDTH, STEPS = 10, MOST_IDS = 8000 };

struct life {
    struct random chance;
    struct rigid scenes[SCENES];
    evidence_t *evidence;
    uint64_t number;
    size_t id_count;
    struct correction sent[MOST_IDS];
};

static struct life life;

// One device in two scenes.
static void
visit(uint64_t a, uint64_t b, double error_m, double claim)
{
    struct rigid at = random_motion(&life.chance, 2);
    uint64_t device = 100000 + life.number;
    for (int i = 0; i < 2; i++) {
        double twist[6];
        for (int k = 0; k < 6; k++)
            twist[k] = random_normal(&life.chance, k < 3 ? SIGMA_T / 2 : SIGMA_R / 2);
        twist[0] += i ? error_m : 0;
        struct rigid back = rigid_invert(&life.scenes[i ? b : a]), noise = rigid_exp(twist);
        struct rigid here = rigid_compose(&life.scenes[a], &at);
        struct rigid pose = rigid_compose(&back, &here);
        pose = rigid_compose(&pose, &noise);
        struct correction correction = correction_of(++life.number, (i ? b : a) + 1, device, &pose);
        correction.sigma_t_m = SIGMA_T * claim;
        correction.sigma_r_rad = SIGMA_R * claim;
        evidence_put(life.evidence, &correction);
        if (life.id_count < MOST_IDS)
            life.sent[life.id_count++] = correction;
    }
}

static void
begin(uint64_t seed, double claim)
{
    life = (struct life){.chance = {seed * 7919}, .evidence = evidence_create()};
    for (uint64_t i = 0; i < SCENES; i++) {
        life.scenes[i] = random_motion(&life.chance, 1);
        life.scenes[i].translation[0] += 8.0 * (double)(i % WIDTH);
        life.scenes[i].translation[1] += 8.0 * (double)(i / WIDTH);
    }
    for (uint64_t i = 0; i < SCENES; i++)
        for (int step = 0; step < 2; step++) {
            uint64_t right = i / WIDTH * WIDTH + (i + 1) % WIDTH, below = (i + WIDTH) % SCENES;
            visit(i, step ? below : right, 0, claim);
            visit(i, step ? below : right, 0, claim);
        }
}

static uint64_t
anywhere(void)
{
    return random_below(&life.chance, SCENES);
}

// A device at a link, one that is wrong, one between scenes far apart, one from nearby that is
// wrong by little; or a correction is removed.
static void
take_step(int step, double claim)
{
    uint64_t scene = anywhere(), next = (scene + WIDTH) % SCENES;
    if (step % 5 == 0)
        visit(scene, next, 0, claim);
    else if (step % 5 == 1)
        visit(scene, next, 3, claim);
    else if (step % 5 == 2)
        visit(scene, (scene + SCENES / 2 + 7) % SCENES, 0, claim);
    else if (step % 5 == 3)
        visit(scene, (scene + 2) % SCENES, 0.3, claim);
    else
        evidence_remove(life.evidence, life.sent[random_below(&life.chance, life.id_count)].id);
}

static void
expect_same_relation(const solution_t *a, const solution_t *b, uint64_t to, int step)
{
    struct relation left, right;
    double distance_m, angle_rad;
    solution_relate(a, 1, to, NULL, NULL, &left);
    solution_relate(b, 1, to, NULL, NULL, &right);
    rigid_difference(&left.motion, &right.motion, &distance_m, &angle_rad);
    cr_assert_lt(fmax(distance_m, angle_rad), SAME, "step %d, to %d: %g m, %g rad", step, (int)to,
                 distance_m, angle_rad);
    cr_assert_eq(left.status, right.status, "step %d, to %d", step, (int)to);
    cr_assert_eq(left.observations, right.observations);
    cr_assert_float_eq(left.sigma_t_m / right.sigma_t_m, 1, SAME_SIGMA, "step %d: %g, %g", step,
                       left.sigma_t_m, right.sigma_t_m);
    free(left.path);
    free(right.path);
}

static void
expect_same_verdicts(const solution_t *a, const solution_t *b, uint64_t scene, int step)
{
    const struct verdict *left, *right;
    size_t count = solution_verdicts(a, scene, &left);
    cr_assert_eq(count, solution_verdicts(b, scene, &right));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(left[i].rejection, right[i].rejection, "step %d, scene %d, %s", step,
                     (int)scene, left[i].id);
}

static void
live(uint64_t seed, double claim, int steps)
{
    begin(seed, claim);
    solution_t *running = evidence_solve(life.evidence, NULL, 1);
    for (int step = 0; step < steps; step++) {
        take_step(step, claim);
        solution_t *next = evidence_solve(life.evidence, running, 1);
        solution_t *restarted = evidence_solve(life.evidence, NULL, 1);
        for (uint64_t scene = 1; scene <= SCENES; scene++)
            expect_same_verdicts(next, restarted, scene, step);
        for (uint64_t scene = 2; scene <= SCENES; scene += 13)
            expect_same_relation(next, restarted, scene, step);
        solution_unref(&restarted);
        solution_unref(&running);
        running = next;
    }
    solution_unref(&running);
    evidence_destroy(&life.evidence);
}

TestSuite(solver_continued, .timeout = 300);

Test(solver_continued, running_and_restarted_answer_alike_in_large_components)
{
    live(1, 1, STEPS);
}

// Each solve is made again with another model of the noise.
Test(solver_continued, running_and_restarted_answer_alike_in_large_components_that_claim_too_much)
{
    live(2, 1.0 / 3, STEPS / 3);
}
