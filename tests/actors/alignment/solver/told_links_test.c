// told_links_test.c - which scenes are told that their links moved.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

static evidence_t *evidence;
static solution_t *solution; // the newest
static told_links_t *told;

// Solves anew; the scenes that are told of it are yours.
static size_t
solve(uint64_t **ret_scene_ids)
{
    solution_t *next = evidence_solve(evidence, solution, 1);
    solution_unref(&solution);
    solution = next;
    return told_links_update(told, solution, ret_scene_ids);
}

static void
expect_told(size_t count, const uint64_t *expected)
{
    uint64_t *scene_ids;
    cr_assert_eq(solve(&scene_ids), count);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(scene_ids[i], expected[i]);
    free(scene_ids);
}

#define EXPECT(...)                                                                                \
    expect_told(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

// Scenes 1, 2 and 3 in a row of 3 m; and 8 and 9 by themselves.
static void
begin(void)
{
    evidence = evidence_create();
    told = told_links_create();
    solution = NULL;
    evidence_put_pair(evidence, 1, 1, 2, 3);
    evidence_put_pair(evidence, 2, 2, 3, 3);
    evidence_put_pair(evidence, 3, 8, 9, 1);
    EXPECT(1, 2, 3, 8, 9);
}

static void
end(void)
{
    solution_unref(&solution);
    told_links_destroy(&told);
    evidence_destroy(&evidence);
}

TestSuite(told_links, .init = begin, .fini = end);

Test(told_links, nothing_is_told_while_nothing_changes)
{
    expect_told(0, NULL);
}

Test(told_links, both_ends_of_a_moved_link_are_told_once)
{
    evidence_put_pair(evidence, 2, 2, 3, 3.1);
    EXPECT(2, 3);
    expect_told(0, NULL);
}

Test(told_links, small_steps_of_a_link_add_up)
{
    evidence_put_pair(evidence, 2, 2, 3, 3.006);
    expect_told(0, NULL);
    evidence_put_pair(evidence, 2, 2, 3, 3.012);
    EXPECT(2, 3);
}

// 30 steps of 6 mm of the link 2 to 3, while this device's jumps with each: 18 cm, told at every
// second step.
static void
expect_steps_are_told_while_jumps(uint64_t device, uint64_t from, uint64_t to, double x)
{
    int tellings = 0;
    for (int step = 1; step <= 30; step++) {
        uint64_t *scene_ids;
        evidence_put_pair(evidence, device, from, to, x + step % 2);
        evidence_put_pair(evidence, 2, 2, 3, 3 + 0.006 * step);
        size_t count = solve(&scene_ids);
        for (size_t i = 0; i < count; i++)
            tellings += scene_ids[i] == 3;
        free(scene_ids);
    }
    cr_assert_eq(tellings, 15);
}

Test(told_links, small_steps_of_a_link_add_up_while_another_one_jumps)
{
    expect_steps_are_told_while_jumps(3, 8, 9, 1);
}

// Both links are of one component, and of one scene.
Test(told_links, small_steps_add_up_while_another_link_of_the_scene_jumps)
{
    expect_steps_are_told_while_jumps(1, 1, 2, 3);
}

// Random walks of three links: after each step what a scene knows of a link, as it was when the
// scene was told last, is within the dead band of the truth.
Test(told_links, what_a_scene_knows_is_never_further_off_than_the_dead_band)
{
    struct random chance = {5};
    double now[3] = {3, 3, 1}, known[3] = {3, 3, 1};
    const uint64_t ends[3] = {1, 3, 9};
    for (int step = 0; step < 200; step++) {
        uint64_t *scene_ids;
        for (int i = 0; i < 3; i++)
            now[i] += random_normal(&chance, 0.004);
        evidence_put_pair(evidence, 1, 1, 2, now[0]);
        evidence_put_pair(evidence, 2, 2, 3, now[1]);
        evidence_put_pair(evidence, 3, 8, 9, now[2]);
        size_t count = solve(&scene_ids);
        for (int i = 0; i < 3; i++) {
            for (size_t k = 0; k < count; k++)
                known[i] = scene_ids[k] == ends[i] ? now[i] : known[i];
            cr_assert_leq(fabs(known[i] - now[i]), 0.01 + 1e-9);
        }
        free(scene_ids);
    }
}

Test(told_links, scenes_of_a_link_that_is_gone_are_told)
{
    evidence_remove_scene(evidence, 8);
    EXPECT(8, 9);
    expect_told(0, NULL);
}

Test(told_links, scenes_of_a_link_that_came_back_are_told)
{
    evidence_remove_scene(evidence, 8);
    EXPECT(8, 9);
    evidence_put_pair(evidence, 3, 8, 9, 1);
    EXPECT(8, 9);
}
