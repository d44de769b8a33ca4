// told_links_test.c - which scenes are told that their links moved.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

static evidence_t *evidence;
static solution_t *solution; // the newest
static told_links_t *told;

// Device `device` stands at 0 in one scene and at x in the other; again and again, the newest
// counts.
static void
put_pair(uint64_t device, uint64_t from, uint64_t to, double x)
{
    struct rigid pose = rigid_identity;
    struct correction correction = correction_of(device * 2, from, device, &pose);
    evidence_put(evidence, &correction);
    pose.translation[0] = x;
    correction = correction_of(device * 2 + 1, to, device, &pose);
    evidence_put(evidence, &correction);
}

static void
expect_told(size_t count, const uint64_t *expected)
{
    uint64_t *scene_ids;
    solution_t *next = evidence_solve(evidence, solution, 1);
    solution_unref(&solution);
    solution = next;
    cr_assert_eq(told_links_update(told, solution, &scene_ids), count);
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
    put_pair(1, 1, 2, 3);
    put_pair(2, 2, 3, 3);
    put_pair(3, 8, 9, 1);
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
    put_pair(2, 2, 3, 3.1);
    EXPECT(2, 3);
    expect_told(0, NULL);
}

Test(told_links, small_steps_of_a_link_add_up)
{
    put_pair(2, 2, 3, 3.006);
    expect_told(0, NULL);
    put_pair(2, 2, 3, 3.012);
    EXPECT(2, 3);
}

// 30 steps of 6 mm while the link 8 to 9 jumps with each: 18 cm, told at every second step.
Test(told_links, small_steps_of_a_link_add_up_while_another_one_jumps)
{
    int tellings = 0;
    for (int step = 1; step <= 30; step++) {
        uint64_t *scene_ids;
        put_pair(2, 2, 3, 3 + 0.006 * step);
        put_pair(3, 8, 9, 1 + step % 2);
        solution_t *next = evidence_solve(evidence, solution, 1);
        solution_unref(&solution);
        solution = next;
        size_t count = told_links_update(told, solution, &scene_ids);
        for (size_t i = 0; i < count; i++)
            tellings += scene_ids[i] == 3;
        free(scene_ids);
    }
    cr_assert_eq(tellings, 15);
}

// The same where both links are of one component, and of one scene.
Test(told_links, small_steps_add_up_while_another_link_of_the_scene_jumps)
{
    int tellings = 0;
    for (int step = 1; step <= 30; step++) {
        uint64_t *scene_ids;
        put_pair(1, 1, 2, 3 + step % 2);
        put_pair(2, 2, 3, 3 + 0.006 * step);
        solution_t *next = evidence_solve(evidence, solution, 1);
        solution_unref(&solution);
        solution = next;
        size_t count = told_links_update(told, solution, &scene_ids);
        for (size_t i = 0; i < count; i++)
            tellings += scene_ids[i] == 3;
        free(scene_ids);
    }
    cr_assert_eq(tellings, 15);
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
        put_pair(1, 1, 2, now[0]);
        put_pair(2, 2, 3, now[1]);
        put_pair(3, 8, 9, now[2]);
        solution_t *next = evidence_solve(evidence, solution, 1);
        solution_unref(&solution);
        solution = next;
        size_t count = told_links_update(told, solution, &scene_ids);
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
    put_pair(3, 8, 9, 1);
    EXPECT(8, 9);
}
