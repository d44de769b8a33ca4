// solution_test.c - what a solution answers: paths and links.
#include "actors/alignment/solver/solution.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/worlds.h"

static evidence_t *evidence;
static solution_t *solution;

// Scenes 1, 2 and 3 in a row of 3 m, two devices a link; and 8 and 9 by themselves.
static void
begin(void)
{
    evidence = evidence_create();
    for (uint64_t device = 1; device <= 2; device++) {
        evidence_put_pair(evidence, device, 1, 2, 3);
        evidence_put_pair(evidence, device + 10, 2, 3, 3);
        evidence_put_pair(evidence, device + 20, 8, 9, 1);
    }
    solution = evidence_solve(evidence, NULL, 1);
}

static void
end(void)
{
    solution_unref(&solution);
    evidence_destroy(&evidence);
}

TestSuite(solution, .init = begin, .fini = end);

static bool
is_not_two(uint64_t scene_id, const void *context)
{
    (void)context;
    return scene_id != 2;
}

Test(solution, a_relation_has_the_path_and_its_observations)
{
    struct relation relation;
    solution_relate(solution, 1, 3, NULL, NULL, &relation);
    cr_assert_eq(relation.status, ALIGNMENT_PREDICTED);
    cr_assert_float_eq(relation.motion.translation[0], 6, 1e-9);
    cr_assert_eq(relation.path_count, 3);
    cr_assert_eq(relation.path[0], 1);
    cr_assert_eq(relation.path[1], 2);
    cr_assert_eq(relation.path[2], 3);
    cr_assert_eq(relation.observations, 4);
    cr_assert_eq(relation.devices, 4);
    free(relation.path);
}

Test(solution, a_scene_relates_to_itself_by_the_identity)
{
    struct relation relation;
    solution_relate(solution, 77, 77, NULL, NULL, &relation);
    cr_assert_eq(relation.status, ALIGNMENT_PREDICTED);
    cr_assert_eq(relation.motion.translation[0], 0);
    cr_assert_eq(relation.path_count, 1);
    free(relation.path);
}

Test(solution, scenes_of_different_components_do_not_relate)
{
    struct relation relation;
    solution_relate(solution, 1, 9, NULL, NULL, &relation);
    cr_assert_eq(relation.status, ALIGNMENT_NONE);
    cr_assert_eq(relation.path_count, 0);
    cr_assert_null(solution_component(solution, 77));
    cr_assert_eq(solution_component(solution, 8), solution_component(solution, 9));
}

Test(solution, a_path_does_not_lead_through_a_scene_that_is_not_visible)
{
    struct relation relation;
    solution_relate(solution, 1, 3, is_not_two, NULL, &relation);
    cr_assert_eq(relation.status, ALIGNMENT_NONE);
}

Test(solution, links_of_a_scene_are_ordered_by_the_other_one)
{
    const struct link_state *links;
    cr_assert_eq(solution_links(solution, 2, &links), 2);
    cr_assert_eq(links[0].scene_id, 1);
    cr_assert_eq(links[1].scene_id, 3);
    cr_assert_float_eq(links[0].motion.translation[0], -3, 1e-9);
    cr_assert_float_eq(links[1].motion.translation[0], 3, 1e-9);
    cr_assert_gt(links[0].sigma_t_m, 0);
    cr_assert_eq(links[0].devices, 2);
    cr_assert_eq(solution_links(solution, 77, &links), 0);
}

Test(solution, components_that_did_not_change_are_shared)
{
    size_t count;
    solution_t *after = evidence_solve(evidence, solution, 1);
    cr_assert_eq(solution_component(after, 1), solution_component(solution, 1));
    solution_components(after, &count);
    cr_assert_eq(count, 2);
    solution_unref(&after);
}

Test(solution, it_is_as_of_when_its_corrections_were_taken)
{
    solution_t *after = evidence_solve(evidence, solution, 7);
    cr_assert_eq(solution_as_of_us(solution), 1);
    cr_assert_eq(solution_as_of_us(after), 7);
    solution_unref(&after);
}

// Two of nine observations.
Test(solution, a_fifth_of_the_evidence_of_a_component_that_disagrees_is_told)
{
    for (uint64_t device = 31; device <= 33; device++)
        evidence_put_pair(evidence, device, 1, 2, 3);
    evidence_put_pair(evidence, 41, 1, 2, 90);
    evidence_put_pair(evidence, 42, 1, 2, 50);
    solution_t *after = evidence_solve(evidence, solution, 1);
    cr_assert_eq(solution_contrary_share(solution, 1), 0);
    cr_assert_eq(solution_contrary_components(solution), 0);
    cr_assert_float_eq(solution_contrary_share(after, 3), 2.0 / 9, 1e-9);
    cr_assert_eq(solution_contrary_share(after, 8), 0);
    cr_assert_eq(solution_contrary_share(after, 77), 0);
    cr_assert_eq(solution_contrary_components(after), 1);
    solution_unref(&after);
}

Test(solution, each_reason_of_a_rejection_has_a_name)
{
    cr_assert_str_eq(rejection_name(NOT_REJECTED), "");
    cr_assert_str_eq(rejection_name(REJECTED_FAR), "too_far");
    cr_assert_str_eq(rejection_name(REJECTED_PAST), "scene_moved");
    cr_assert_str_eq(rejection_name(REJECTED_CONTRARY), "disagrees");
    cr_assert_str_eq(rejection_name(REJECTED_UNCLEAR), "unclear");
}

Test(solution, each_status_has_a_name)
{
    cr_assert_str_eq(alignment_status_name(ALIGNMENT_NONE), "none");
    cr_assert_str_eq(alignment_status_name(ALIGNMENT_UNVERIFIED), "unverified");
    cr_assert_str_eq(alignment_status_name(ALIGNMENT_PREDICTED), "predicted");
    cr_assert_str_eq(alignment_status_name(ALIGNMENT_CONFLICTING), "conflicting");
}
