// rate_limit_test.c - how often somebody may ask.
#include "gateway/request/rate_limit.h"

#include <stdio.h>
#include <criterion/criterion.h>

static const struct route reading = {.operation = SCENE_GET}, registering = {.operation = REGISTER},
                          open_route = {.operation = NO_OPERATION, .access = ACCESS_OPEN};
static const struct caller ann = {.peer = "10.0.0.1", .user = "ann"}, nobody = {.peer = "10.0.0.1"},
                           elsewhere = {.peer = "10.0.0.2"};

// How many of `count` requests pass.
static unsigned
pass(quota_t *quota, const struct route *route, const struct caller *caller, unsigned count)
{
    unsigned passed = 0, wait_s;
    for (unsigned i = 0; i < count; i++)
        passed += quota_take(quota, route, caller, &wait_s) == OK;
    return passed;
}

Test(quota, without_a_limit_everything_passes)
{
    quota_t *quota = quota_create(0);
    cr_assert_eq(pass(quota, &reading, &nobody, 100000), 100000);
    quota_destroy(&quota);
}

Test(quota, a_limit_is_of_one_user_or_of_one_address)
{
    quota_t *quota = quota_create(1);
    unsigned wait_s = 0;
    cr_assert_eq(pass(quota, &reading, &ann, 1), 1);
    cr_assert_eq(quota_take(quota, &reading, &ann, &wait_s), ERR_THROTTLED);
    cr_assert_eq(wait_s, 1);
    cr_assert_eq(pass(quota, &reading, &nobody, 1), 1);
    cr_assert_eq(quota_take(quota, &reading, &nobody, &wait_s), ERR_THROTTLED);
    cr_assert_eq(pass(quota, &reading, &elsewhere, 1), 1);
    quota_destroy(&quota);
}

Test(quota, what_is_open_is_not_counted)
{
    quota_t *quota = quota_create(1);
    cr_assert_eq(pass(quota, &open_route, &nobody, 1000), 1000);
    cr_assert_eq(pass(quota, &reading, &nobody, 1), 1);
    quota_destroy(&quota);
}

Test(quota, registrations_are_limited_in_any_case)
{
    quota_t *quota = quota_create(0);
    unsigned passed = pass(quota, &registering, &nobody, 100000);
    cr_assert_geq(passed, 10000);
    cr_assert_lt(passed, 20000);
    cr_assert_eq(pass(quota, &registering, &elsewhere, 1), 1);
    cr_assert_eq(pass(quota, &reading, &nobody, 1), 1);
    quota_destroy(&quota);
}
