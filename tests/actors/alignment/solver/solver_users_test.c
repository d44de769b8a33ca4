// solver_users_test.c - what one account can do with many devices, where users log in.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/alignment/solver/solver.h"
#include "tests/support/worlds.h"

enum { ANN = 1, BOB = 2, EVE = 666, CROWD = 50 };

static evidence_t *evidence;
static solution_t *solution;
static uint64_t number;

static void
begin(void)
{
    number = 0;
    evidence = evidence_create();
    evidence_confirm_by(evidence, 2);
}

static void
end(void)
{
    solution_unref(&solution);
    evidence_destroy(&evidence);
}

TestSuite(solver_users, .init = begin, .fini = end);

// Devices of a user that stand at 0 in scene a and at x in scene b, and claim a millimetre.
static void
see(uint64_t user, int devices, uint64_t a, uint64_t b, double x)
{
    for (int i = 0; i < devices; i++) {
        uint64_t device = 1000 + number;
        for (int k = 0; k < 2; k++) {
            struct rigid pose = rigid_identity;
            pose.translation[0] = k ? x : 0;
            struct correction correction = correction_of(++number, k ? b : a, device, &pose);
            correction.user = user;
            correction.sigma_t_m = user == EVE ? 0.001 : correction.sigma_t_m;
            correction.sigma_r_rad = user == EVE ? 0.001 : correction.sigma_r_rad;
            evidence_put(evidence, &correction);
        }
    }
}

static struct relation
relate(uint64_t from, uint64_t to)
{
    struct relation relation;
    solution_unref(&solution);
    solution = evidence_solve(evidence, NULL, 1);
    solution_relate(solution, from, to, NULL, NULL, &relation);
    free(relation.path);
    return relation;
}

static void
expect(enum alignment_status status, double x, double tolerance)
{
    struct relation relation = relate(1, 2);
    cr_assert_str_eq(alignment_status_name(relation.status), alignment_status_name(status));
    cr_assert_float_eq(relation.motion.translation[0], x, tolerance, "%.3f",
                       relation.motion.translation[0]);
}

Test(solver_users, many_devices_of_one_account_confirm_nothing)
{
    see(EVE, CROWD, 1, 2, 2.5);
    expect(ALIGNMENT_UNVERIFIED, 2.5, 1e-6);
}

Test(solver_users, they_do_where_one_user_is_enough)
{
    evidence_confirm_by(evidence, 1);
    see(ANN, 2, 1, 2, 2.5);
    expect(ALIGNMENT_PREDICTED, 2.5, 1e-6);
}

Test(solver_users, one_device_confirms_nothing_even_where_one_user_is_enough)
{
    evidence_confirm_by(evidence, 1);
    see(ANN, 1, 1, 2, 2.5);
    expect(ALIGNMENT_UNVERIFIED, 2.5, 1e-6);
}

Test(solver_users, two_users_that_agree_predict)
{
    see(ANN, 1, 1, 2, 3);
    see(BOB, 1, 1, 2, 3);
    expect(ALIGNMENT_PREDICTED, 3, 1e-6);
}

Test(solver_users, a_crowd_of_one_account_does_not_turn_over_two_honest_users)
{
    see(ANN, 1, 1, 2, 3);
    see(BOB, 1, 1, 2, 3);
    see(EVE, CROWD, 1, 2, 5.5);
    expect(ALIGNMENT_PREDICTED, 3, 1e-6);
}

Test(solver_users, where_two_users_face_each_other_it_conflicts_and_what_was_said_first_stays)
{
    see(ANN, 3, 1, 2, 3);
    see(EVE, CROWD, 1, 2, 5.5);
    expect(ALIGNMENT_CONFLICTING, 3, 1e-6);
}

// Within the noise of the others; alone it would be two hundred times as strong.
Test(solver_users, a_user_pulls_no_more_than_the_median_user)
{
    see(ANN, 1, 1, 2, 3);
    see(BOB, 1, 1, 2, 3);
    see(EVE, CROWD, 1, 2, 3.005);
    expect(ALIGNMENT_PREDICTED, 3, 0.005 / 3 + 1e-6);
}

// Scene 2 is known to relate to 1; how 3 relates to both only one account says.
Test(solver_users, a_cycle_that_one_account_closes_confirms_nothing)
{
    see(ANN, 1, 1, 2, 3);
    see(BOB, 1, 1, 2, 3);
    see(EVE, CROWD, 1, 3, 5);
    see(EVE, CROWD, 2, 3, 2);
    cr_assert_eq(relate(1, 2).status, ALIGNMENT_PREDICTED);
    cr_assert_eq(relate(1, 3).status, ALIGNMENT_UNVERIFIED);
    see(BOB, 1, 2, 3, 2);
    cr_assert_eq(relate(1, 3).status, ALIGNMENT_PREDICTED);
}

// All the devices of both come back after the second scene was put elsewhere.
Test(solver_users, two_users_with_two_devices_each_tell_of_a_move)
{
    see(ANN, 3, 1, 2, 3);
    see(BOB, 3, 1, 2, 3);
    see(ANN, 2, 1, 2, 8);
    see(BOB, 2, 1, 2, 8);
    expect(ALIGNMENT_PREDICTED, 8, 1e-6);
}
