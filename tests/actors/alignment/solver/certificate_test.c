// certificate_test.c - poses are certified if no others explain the evidence better, and only then.
#include "actors/alignment/solver/certificate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/support/worlds.h"

enum { RING = 12, WHOLE_TURN = 1, STRAIGHT = 0 };

static struct component ring;
static struct observation items[RING];
static struct link links[RING];
static struct rigid poses[RING];

static struct rigid
turned(double angle_rad)
{
    return (struct rigid){.rotation = {cos(angle_rad / 2), 0, sin(angle_rad / 2), 0}};
}

// Scenes in a ring; what devices say is that no two of them are turned to each other, with 5 cm and
// 0.02 rad. The poses turn by so many whole turns on the way round: any number of them pulls each
// scene as much to one side as to the other.
static void
make_ring(int turns)
{
    for (uint32_t i = 0; i < RING; i++) {
        bool is_last = i + 1 == RING;
        poses[i] = turned(2 * 3.14159265358979323846 * turns * i / RING);
        links[i] = (struct link){is_last ? 0 : i, is_last ? i : i + 1, i, 1};
        items[i] = (struct observation){.a = links[i].a,
                                        .b = links[i].b,
                                        .motion = rigid_identity,
                                        .stand = rigid_identity,
                                        .claimed = {0.0025, 0.0004},
                                        .variances = {0.0025, 0.0004},
                                        .lag = 1,
                                        .weight = 1,
                                        .is_accepted = true};
    }
    ring = (struct component){
        .scene_count = RING,
        .poses = poses,
        .observations = {.count = RING, .items = items, .link_count = RING, .links = links},
    };
}

Test(certificate, poses_that_explain_all_are_certified)
{
    make_ring(STRAIGHT);
    cr_assert(certificate_check(&ring));
}

Test(certificate, poses_between_which_no_step_leads_down_are_not_if_others_are_better)
{
    make_ring(WHOLE_TURN);
    cr_assert_not(certificate_check(&ring));
}

// A turn of 0.02 rad at one scene is a chi-square of 2; one of 0.0002 rad is far below 1.
Test(certificate, poses_beside_the_best_ones_are_not_certified_beyond_the_gap)
{
    make_ring(STRAIGHT);
    poses[3] = turned(0.02);
    cr_assert_not(certificate_check(&ring));
    poses[3] = turned(0.0002);
    cr_assert(certificate_check(&ring));
}

Test(certificate, a_scene_at_the_wrong_place_is_not_certified)
{
    make_ring(STRAIGHT);
    poses[3].translation[1] = 0.1;
    cr_assert_not(certificate_check(&ring));
}

Test(certificate, evidence_that_is_rejected_does_not_count)
{
    make_ring(STRAIGHT);
    items[5].motion = turned(2);
    cr_assert_not(certificate_check(&ring));
    items[5].is_accepted = false;
    cr_assert(certificate_check(&ring));
}

Test(certificate, scenes_that_are_not_connected_are_not_certified)
{
    make_ring(STRAIGHT);
    items[5].is_accepted = items[6].is_accepted = false;
    cr_assert_not(certificate_check(&ring));
}

Test(certificate, what_is_given_up_or_broken_off_is_not_certified)
{
    make_ring(STRAIGHT);
    ring.is_given_up = true;
    cr_assert_not(certificate_check(&ring));
    ring.is_given_up = false;
    atomic_bool stop = true;
    struct effort effort = {.stop = &stop, .left = 1e9};
    ring.effort = &effort;
    cr_assert_not(certificate_check(&ring));
}

// Worlds of 60 scenes, a tenth of what devices say of their links wrong by metres.
Test(certificate, solved_worlds_are_certified)
{
    static struct world world;
    for (uint64_t seed = 11; seed <= 15; seed++) {
        evidence_t *evidence = evidence_create();
        world_make(&world, seed, 3, 0.1);
        world_put(&world, evidence);
        solution_t *solution = evidence_solve(evidence, NULL, 0);
        cr_assert_str_eq(solution_confidence(solution, 1), "certified");
        cr_assert_null(solution_confidence(solution, WORLD_SCENES + 1));
        solution_unref(&solution);
        evidence_destroy(&evidence);
    }
}
