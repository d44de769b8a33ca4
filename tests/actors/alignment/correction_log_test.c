// correction_log_test.c - the evidence that follows from corrections which are added and removed,
// seen by the relation that is solved from it.
#include "actors/alignment/correction_log.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/stated.h"

enum { HALL = 1, YARD = 2 };

static uint64_t now_us;

static struct correction_log corrections;
static struct arena arena;

static void
begin(void)
{
    corrections = (struct correction_log){.evidence = evidence_create(), .half_lives = "gps=10"};
    now_us = 1000000;
}

static void
end(void)
{
    evidence_destroy(&corrections.evidence);
    correction_log_finish(&corrections);
    arena_finish(&arena);
}

TestSuite(correction_log, .init = begin, .fini = end);

static void
apply(const struct stated *stated, bool is_gone)
{
    const frozen_t *frozen = stated_correction(&arena, stated);
    correction_log_apply(&corrections,
                         &(struct correction_change){stated->scene_id, frozen, is_gone});
    record_unref(&frozen);
}

#define PUT(...) apply(&(struct stated){__VA_ARGS__}, false)
#define REMOVE(...) apply(&(struct stated){__VA_ARGS__}, true)

// How far the yard's origin lies from the hall's; 0 and NONE if nothing is known.
static double
distance(enum alignment_status *ret_status)
{
    struct relation relation;
    correction_log_update(&corrections);
    solution_t *solution = evidence_solve(corrections.evidence, NULL, now_us);
    solution_relate(solution, HALL, YARD, NULL, NULL, &relation);
    free(relation.path);
    solution_unref(&solution);
    *ret_status = relation.status;
    return relation.motion.translation[0];
}

static void
check_distance(double expected)
{
    enum alignment_status status;
    double found = distance(&status);
    cr_assert_neq(status, ALIGNMENT_NONE);
    cr_assert_float_eq(found, expected, 1e-6, "%g instead of %g", found, expected);
}

static void
check_none(void)
{
    enum alignment_status status;
    distance(&status);
    cr_assert_eq(status, ALIGNMENT_NONE);
}

Test(correction_log, a_device_in_two_scenes_relates_them)
{
    check_none();
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10);
    check_none();
    PUT("phone", YARD, 5, .time_us = 12, .since_us = 10);
    check_distance(4);
}

Test(correction_log, two_devices_in_one_scene_each_relate_nothing)
{
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10);
    PUT("robot", YARD, 5, .time_us = 12, .since_us = 10);
    check_none();
}

Test(correction_log, a_newer_correction_takes_the_place_of_the_older_one_and_gives_it_back)
{
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10);
    PUT("phone", YARD, 5, .time_us = 12, .since_us = 10);
    PUT("phone", YARD, 7, .time_us = 13, .since_us = 10);
    check_distance(6);
    REMOVE("phone", YARD, 7, .time_us = 13, .since_us = 10);
    check_distance(4);
    REMOVE("phone", YARD, 5, .time_us = 12, .since_us = 10);
    check_none();
}

Test(correction_log, what_comes_in_another_order_is_the_same)
{
    PUT("phone", YARD, 7, .time_us = 13, .since_us = 10);
    PUT("phone", YARD, 5, .time_us = 12, .since_us = 10);
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10);
    check_distance(6);
}

Test(correction_log, an_end_that_comes_later_begins_a_new_session_after_it)
{
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10);
    PUT("phone", YARD, 5, .time_us = 31, .since_us = 30);
    check_distance(4);
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10, .until_us = 20);
    check_none();
}

Test(correction_log, what_was_never_heard_of_is_gone_already)
{
    REMOVE("phone", HALL, 1, .time_us = 11, .since_us = 10);
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10);
    REMOVE("phone", HALL, 1, .time_us = 11, .since_us = 10);
    REMOVE("phone", HALL, 1, .time_us = 11, .since_us = 10);
    check_none();
}

Test(correction_log, what_a_method_says_fades_as_the_setting_says)
{
    PUT("phone", HALL, 1, .time_us = 11, .since_us = 10, .method = "gps");
    PUT("phone", YARD, 5, .time_us = 12, .since_us = 10);
    check_distance(4);
    now_us = 3600 * UINT64_C(1000000);
    check_none();
    PUT("phone", HALL, 2, .time_us = 13, .since_us = 10, .method = "marker");
    check_distance(3);
}
