// component_solve_test.c - the solve of a component continues from that of the one before.
#include "actors/alignment/solver/component_solve.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "tests/support/worlds.h"

#define EFFORT 1e12

static struct world world;

static int
compare_corrections(const void *a, const void *b)
{
    const struct component_correction *left = a, *right = b;
    return left->scene == right->scene
               ? strcmp(left->correction.id, right->correction.id)
               : (left->scene > right->scene) - (left->scene < right->scene);
}

// What the first `count` devices say, who claim a third of the noise that they have.
static struct component *
component_of(size_t count)
{
    uint64_t *scenes = memory_take(WORLD_SCENES * sizeof *scenes);
    double *centres = memory_take_zeroed(WORLD_SCENES * 3 * sizeof *centres);
    struct component_correction *corrections = memory_take_zeroed(count * 2 * sizeof *corrections);
    for (uint32_t scene = 0; scene < WORLD_SCENES; scene++)
        scenes[scene] = scene + 1;
    for (size_t i = 0; i < count * 2; i++) {
        struct correction correction = world.sightings[i / 2].corrections[i % 2];
        correction.sigma_t_m /= 3;
        correction.sigma_r_rad /= 3;
        corrections[i].correction = correction;
        corrections[i].scene = (uint32_t)correction.scene_id - 1;
    }
    qsort(corrections, count * 2, sizeof *corrections, compare_corrections);
    return component_create(WORLD_SCENES, &scenes, &centres, count * 2, &corrections);
}

// Returns the operations that it took.
static double
solve(struct component *component, const struct component *previous)
{
    struct effort effort = {.left = EFFORT};
    component->effort = &effort;
    component_solve(component, previous);
    component->effort = NULL;
    return EFFORT - effort.left;
}

Test(component_solve, one_more_device_takes_less_than_a_solve_from_nothing_and_leads_to_the_same)
{
    world_make(&world, 1, 5, 0.1);
    struct component *before = component_of(world.count - 1);
    struct component *more = component_of(world.count), *afresh = component_of(world.count);
    double apart = 0, distance_m, angle_rad;
    solve(before, NULL);
    double more_operations = solve(more, before), operations = solve(afresh, NULL);
    for (uint32_t scene = 0; scene < WORLD_SCENES; scene++) {
        rigid_difference(&more->poses[scene], &afresh->poses[scene], &distance_m, &angle_rad);
        apart = fmax(apart, fmax(distance_m, angle_rad));
    }
    cr_expect_lt(apart, 1e-6, "%g", apart);
    cr_expect_lt(more_operations, operations, "%g of %g", more_operations, operations);
    component_unref(&before);
    component_unref(&more);
    component_unref(&afresh);
}

// The models of the noise lead to a stage each, and the evidence without its liars fits them all.
Test(component_solve, the_poses_after_each_model_of_the_noise_are_kept)
{
    world_make(&world, 1, 5, 0);
    struct component *component = component_of(world.count);
    solve(component, NULL);
    cr_expect_not_null(component->stages[1][0]);
    component_unref(&component);
}
