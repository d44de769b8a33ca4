// solver_moves_test.c - what is answered while and after a scene moves, in random worlds: while
// nobody knows what moved it conflicts, and nothing confident is wrong.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

#define FAR_OFF 2.0 // metres

enum { MOVED = 25, VISITS = 12 };

static const uint32_t neighbours[] = {15, 24, 26, 35};
static struct world world;
static struct random chance;
static evidence_t *evidence;
static uint64_t number;

static void
begin(uint64_t seed)
{
    struct rigid by = {.rotation = {1, 0, 0, 0}, .translation = {20, 0, 0}};
    chance = (struct random){seed * 31};
    number = 1000000;
    evidence = evidence_create();
    world_make(&world, seed, 5, 0);
    world_put(&world, evidence);
    world.scenes[MOVED] = rigid_compose(&world.scenes[MOVED], &by);
}

// A new device goes from the scene to a neighbour.
static void
visit(uint32_t other)
{
    struct rigid at = random_motion(&chance, 1), link = world_truth(&world, MOVED, other);
    struct rigid there = rigid_compose(&link, &at);
    uint64_t device = number += 2;
    struct correction from = correction_of(number, MOVED + 1, device, &at);
    struct correction to = correction_of(number + 1, other + 1, device, &there);
    evidence_put(evidence, &from);
    evidence_put(evidence, &to);
}

// Returns how many pairs conflict; none that is predicted is far off.
static int
count_conflicts(uint64_t seed, int step)
{
    int conflicts = 0;
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    for (uint32_t from = 0; from < WORLD_SCENES; from++)
        for (uint32_t to = from + 1; to < WORLD_SCENES; to += from == MOVED ? 1 : 7) {
            struct relation relation;
            struct rigid truth = world_truth(&world, from, to);
            double distance_m, angle_rad;
            solution_relate(solution, from + 1, to + 1, NULL, NULL, &relation);
            rigid_difference(&truth, &relation.motion, &distance_m, &angle_rad);
            conflicts += relation.status == ALIGNMENT_CONFLICTING;
            cr_assert(relation.status != ALIGNMENT_PREDICTED || distance_m < FAR_OFF,
                      "seed %d, step %d: %d to %d is off by %.2f m", (int)seed, step, (int)from,
                      (int)to, distance_m);
            free(relation.path);
        }
    solution_unref(&solution);
    return conflicts;
}

Test(solver_moves, a_scene_that_only_one_link_tells_of_conflicts)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        begin(seed);
        for (int i = 0; i < 3; i++) // fewer cannot be told from liars
            visit(neighbours[seed % 4]);
        for (int step = 3; step < VISITS; step++) {
            cr_assert_gt(count_conflicts(seed, step), 0);
            visit(neighbours[seed % 4]);
        }
        evidence_destroy(&evidence);
    }
}

// Also at links that nobody has come to since.
Test(solver_moves, a_scene_that_two_links_tell_of_has_moved_at_all)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        begin(seed);
        visit(neighbours[seed % 4]);
        visit(neighbours[seed % 4]);
        visit(neighbours[(seed + 1) % 4]);
        for (int step = 3; step < VISITS; step++) {
            cr_assert_eq(count_conflicts(seed, step), 0);
            visit(neighbours[random_below(&chance, 4)]);
        }
        evidence_destroy(&evidence);
    }
}

Test(solver_moves, what_was_said_before_a_move_is_rejected_as_past_and_nothing_else_is)
{
    const struct verdict *verdicts;
    begin(1);
    for (int i = 0; i < VISITS; i++)
        visit(neighbours[i % 4]);
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    size_t count = solution_verdicts(solution, MOVED + 1, &verdicts), past = 0;
    for (size_t i = 0; i < count; i++)
        past += verdicts[i].rejection == REJECTED_PAST;
    cr_assert_eq(past, count - VISITS);
    cr_assert_gt(past, 0);
    cr_assert_eq(solution_contrary_share(solution, MOVED + 1), 0);
    solution_unref(&solution);
    evidence_destroy(&evidence);
}
