// solver_restart_test.c - a solver that ran all the time answers as one that was started anew with
// the same corrections, after every step of random worlds: devices that are right and wrong, scenes
// that move, corrections that are removed and sent again.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

#define SAME 1e-6 // metres and radians

enum { STEPS = 36, MOST_IDS = 2000, LINKED = 3 };

// A world in which things happen. The last scene that moved gets most of the new devices.
struct life {
    struct random chance;
    struct rigid scenes[WORLD_SCENES];
    evidence_t *evidence;
    uint64_t number; // of the newest correction
    double claim;    // the share of their noise that devices claim
    uint64_t restless;
    size_t id_count;
    struct correction sent[MOST_IDS];
};

static struct world world;
static struct life life;

static void
send(struct life *self, const struct correction *correction)
{
    evidence_put(self->evidence, correction);
    if (self->id_count < MOST_IDS)
        self->sent[self->id_count++] = *correction;
}

static uint64_t
neighbour_of(struct life *self, uint64_t scene)
{
    uint64_t column = scene % WORLD_COLUMNS;
    bool is_row = random_below(&self->chance, 2) == 0;
    if (is_row)
        return column + 1 < WORLD_COLUMNS ? scene + 1 : scene - 1;
    return scene + WORLD_COLUMNS < WORLD_SCENES ? scene + WORLD_COLUMNS : scene - WORLD_COLUMNS;
}

static void
visit(struct life *self, uint64_t a, uint64_t b, bool is_wrong)
{
    uint64_t device = 100000 + self->number;
    struct rigid at = random_motion(&self->chance, 2);
    for (int i = 0; i < 2; i++) {
        uint64_t scene = i ? b : a;
        double twist[6], sigma = 0.025;
        for (int k = 0; k < 6; k++)
            twist[k] = random_normal(&self->chance, is_wrong && i ? 1 : k < 3 ? sigma : sigma / 3);
        struct rigid back = rigid_invert(&self->scenes[scene]), noise = rigid_exp(twist);
        struct rigid here = rigid_compose(&self->scenes[a], &at);
        struct rigid pose = rigid_compose(&back, &here);
        pose = rigid_compose(&pose, &noise);
        self->number++;
        struct correction correction =
            correction_of(1000000 + self->number, scene + 1, device, &pose);
        correction.sigma_t_m *= self->claim;
        correction.sigma_r_rad *= self->claim;
        send(self, &correction);
    }
}

static void
move_scene(struct life *self)
{
    struct rigid by = random_motion(&self->chance, 3);
    self->restless = random_below(&self->chance, WORLD_SCENES);
    self->scenes[self->restless] = rigid_compose(&self->scenes[self->restless], &by);
}

static void
send_again(struct life *self)
{
    struct correction again = self->sent[random_below(&self->chance, self->id_count)], named;
    struct rigid by = random_motion(&self->chance, 0.05);
    again.pose.translation[0] += by.translation[0];
    self->number++;
    named = correction_of(1000000 + self->number, 1, 1, &by);
    memcpy(again.id, named.id, sizeof again.id);
    again.time_us = named.time_us;
    send(self, &again);
}

static void
take_step(struct life *self)
{
    uint64_t what = random_below(&self->chance, 20);
    uint64_t scene = what < 12 ? self->restless : random_below(&self->chance, WORLD_SCENES);
    if (what == 18 || self->number == 0)
        move_scene(self);
    if (what == 19 && self->id_count)
        evidence_remove(self->evidence, self->sent[random_below(&self->chance, self->id_count)].id);
    else if (what == 17 && self->id_count)
        send_again(self);
    else
        visit(self, scene, neighbour_of(self, scene), what == 16);
}

static void
expect_same_relation(const solution_t *a, const solution_t *b, uint64_t from, uint64_t to, int step)
{
    struct relation left, right;
    double distance_m, angle_rad;
    solution_relate(a, from, to, NULL, NULL, &left);
    solution_relate(b, from, to, NULL, NULL, &right);
    rigid_difference(&left.motion, &right.motion, &distance_m, &angle_rad);
    cr_assert_lt(fmax(distance_m, angle_rad), SAME, "step %d, %d to %d: %g m, %g rad", step,
                 (int)from, (int)to, distance_m, angle_rad);
    cr_assert_eq(left.status, right.status, "step %d, %d to %d: %s, %s", step, (int)from, (int)to,
                 alignment_status_name(left.status), alignment_status_name(right.status));
    cr_assert_eq(left.observations, right.observations);
    cr_assert_float_eq(left.sigma_t_m, right.sigma_t_m, 1e-6);
    free(left.path);
    free(right.path);
}

static void
expect_same_verdicts(const solution_t *a, const solution_t *b, uint64_t scene, int step)
{
    const struct verdict *left, *right;
    size_t count = solution_verdicts(a, scene, &left);
    cr_assert_eq(count, solution_verdicts(b, scene, &right));
    for (size_t i = 0; i < count; i++) {
        cr_assert_str_eq(left[i].id, right[i].id);
        cr_assert_eq(left[i].rejection, right[i].rejection, "step %d, scene %d, %s", step,
                     (int)scene, left[i].id);
    }
}

static void
begin(uint64_t seed, double wrong_share, double claim)
{
    life = (struct life){.chance = {seed * 7919}, .claim = claim, .evidence = evidence_create()};
    world_make(&world, seed, LINKED, wrong_share);
    memcpy(life.scenes, world.scenes, sizeof life.scenes);
    for (size_t i = 0; i < world.count * 2; i++) {
        struct correction *correction = &world.sightings[i / 2].corrections[i % 2];
        correction->sigma_t_m *= claim;
        correction->sigma_r_rad *= claim;
    }
    world_put(&world, life.evidence);
}

static void
live(uint64_t seed, double wrong_share, double claim, int steps)
{
    begin(seed, wrong_share, claim);
    solution_t *running = evidence_solve(life.evidence, NULL, 1);
    for (int step = 0; step < steps; step++) {
        take_step(&life);
        solution_t *next = evidence_solve(life.evidence, running, 1);
        solution_t *restarted = evidence_solve(life.evidence, NULL, 1);
        for (uint64_t scene = 1; scene <= WORLD_SCENES; scene++) {
            expect_same_relation(next, restarted, 1, scene, step);
            expect_same_verdicts(next, restarted, scene, step);
        }
        solution_unref(&restarted);
        solution_unref(&running);
        running = next;
    }
    solution_unref(&running);
    evidence_destroy(&life.evidence);
}

Test(solver_restart, running_and_restarted_answer_alike_in_worlds_without_liars)
{
    for (uint64_t seed = 1; seed <= 2; seed++)
        live(seed, 0, 1, STEPS);
}

Test(solver_restart, running_and_restarted_answer_alike_in_worlds_with_liars)
{
    for (uint64_t seed = 1; seed <= 2; seed++)
        live(seed, 0.1, 1, STEPS);
}

// Each solve is made again with another model of the noise.
Test(solver_restart, running_and_restarted_answer_alike_where_devices_claim_too_much)
{
    live(3, 0.1, 1.0 / 3, STEPS / 10);
}

// Eight new devices at each link of a scene that moved by 2 m.
Test(solver_restart, a_scene_that_moved_is_found_by_a_solver_that_ran_all_the_time)
{
    struct rigid by = {.rotation = {1, 0, 0, 0}, .translation = {2, 0, 0}};
    const uint64_t moved = 25, others[] = {15, 24, 26, 35};
    begin(11, 0, 1);
    solution_t *running = evidence_solve(life.evidence, NULL, 1);
    life.scenes[moved] = rigid_compose(&life.scenes[moved], &by);
    for (int device = 0; device < 8; device++)
        for (int i = 0; i < 4; i++) {
            visit(&life, moved, others[i], false);
            solution_t *next = evidence_solve(life.evidence, running, 1);
            solution_unref(&running);
            running = next;
        }
    for (uint64_t scene = 0; scene < WORLD_SCENES; scene++) {
        struct rigid back = rigid_invert(&life.scenes[scene]);
        struct rigid truth = rigid_compose(&back, &life.scenes[moved]);
        struct relation found;
        double distance_m, angle_rad;
        solution_relate(running, moved + 1, scene + 1, NULL, NULL, &found);
        rigid_difference(&found.motion, &truth, &distance_m, &angle_rad);
        cr_assert_lt(distance_m, 1, "scene %d: %.2f m", (int)scene, distance_m);
        free(found.path);
    }
    solution_unref(&running);
    evidence_destroy(&life.evidence);
}
