// evidence_test.c - corrections that are put, superseded and removed, seen in the verdicts and
// links.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/solver.h"
#include "proto/base/limits.h"
#include "tests/support/worlds.h"

static evidence_t *evidence;

static void
begin(void)
{
    evidence = evidence_create();
}

static void
end(void)
{
    evidence_destroy(&evidence);
}

TestSuite(evidence, .init = begin, .fini = end);

// Correction `number` of the device: it stands at x in the scene.
static struct correction
put(uint64_t number, uint64_t scene_id, uint64_t device, double x)
{
    struct rigid pose = rigid_identity;
    pose.translation[0] = x;
    struct correction correction = correction_of(number, scene_id, device, &pose);
    evidence_put(evidence, &correction);
    return correction;
}

// Where the origin of scene 1 is along x in scene 2; NAN if they are not connected.
static double
distance_at(uint64_t now_us)
{
    struct relation relation;
    solution_t *solution = evidence_solve(evidence, NULL, now_us);
    solution_relate(solution, 1, 2, NULL, NULL, &relation);
    free(relation.path);
    solution_unref(&solution);
    return relation.status == ALIGNMENT_NONE ? (double)NAN : relation.motion.translation[0];
}

static size_t
count_verdicts(uint64_t scene_id)
{
    const struct verdict *verdicts;
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    size_t count = solution_verdicts(solution, scene_id, &verdicts);
    solution_unref(&solution);
    return count;
}

Test(evidence, nothing_relates_without_corrections)
{
    cr_assert(isnan(distance_at(1)));
    cr_assert_eq(count_verdicts(1), 0);
}

Test(evidence, a_device_in_two_scenes_connects_them)
{
    put(1, 1, 7, 0);
    put(2, 2, 7, 3);
    cr_assert_float_eq(distance_at(1), 3, 1e-9);
}

Test(evidence, a_newer_correction_counts_in_place_of_the_older_one)
{
    put(1, 1, 7, 0);
    put(2, 2, 7, 3);
    put(3, 2, 7, 5);
    cr_assert_float_eq(distance_at(1), 5, 1e-9);
    cr_assert_eq(count_verdicts(2), 1);
}

Test(evidence, a_superseded_correction_counts_again_when_the_newer_one_is_removed)
{
    put(1, 1, 7, 0);
    put(2, 2, 7, 3);
    evidence_remove(evidence, put(3, 2, 7, 5).id);
    cr_assert_float_eq(distance_at(1), 3, 1e-9);
}

Test(evidence, only_the_newest_corrections_of_a_session_in_a_scene_are_kept)
{
    char ids[LIMIT_SUPERSEDED + 2][ALIGNMENT_ID_SIZE];
    put(1, 1, 7, 0);
    for (uint64_t i = 0; i < LIMIT_SUPERSEDED + 2; i++)
        memcpy(ids[i], put(i + 2, 2, 7, (double)i).id, sizeof ids[i]);
    for (uint64_t i = LIMIT_SUPERSEDED + 1; i > 2; i--)
        evidence_remove(evidence, ids[i]);
    cr_assert_float_eq(distance_at(1), 2, 1e-9);
    evidence_remove(evidence, ids[2]);
    cr_assert(isnan(distance_at(1)), "the first two are forgotten");
}

Test(evidence, a_correction_with_the_same_id_is_replaced)
{
    put(1, 1, 7, 0);
    put(2, 2, 7, 3);
    put(2, 2, 7, 4);
    cr_assert_float_eq(distance_at(1), 4, 1e-9);
}

Test(evidence, an_unknown_id_is_ignored)
{
    put(1, 1, 7, 0);
    evidence_remove(evidence, "none");
    cr_assert_eq(count_verdicts(1), 1);
}

Test(evidence, a_removed_scene_takes_its_corrections_along)
{
    put(1, 1, 7, 0);
    put(2, 2, 7, 3);
    evidence_remove_scene(evidence, 2);
    cr_assert(isnan(distance_at(1)));
    cr_assert_eq(count_verdicts(1), 1);
    cr_assert_eq(count_verdicts(2), 0);
}

Test(evidence, a_correction_does_not_count_after_eight_half_lives)
{
    struct correction correction = put(1, 1, 7, 0);
    correction.half_life_s = 1;
    correction.time_us = 0;
    evidence_put(evidence, &correction);
    put(2, 2, 7, 3);
    cr_assert_float_eq(distance_at(7900000), 3, 1e-9);
    cr_assert(isnan(distance_at(8000001)));
}

Test(evidence, a_device_beyond_the_earth_connects_nothing)
{
    put(1, 1, 7, 0);
    put(2, 1, 8, 0);
    put(3, 1, 9, 3e7);
    put(4, 2, 9, 0);
    cr_assert(isnan(distance_at(1)));
    const struct verdict *verdicts;
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    cr_assert_eq(solution_verdicts(solution, 1, &verdicts), 3);
    cr_assert_eq(verdicts[1].rejection, NOT_REJECTED);
    cr_assert_eq(verdicts[2].rejection, REJECTED_FAR);
    solution_unref(&solution);
}
