// rate_limit_test.c - limits by user and by address.
#include "gateway/request/rate_limit.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const struct route reading = {.operation = SCENE_GET}, registering = {.operation = REGISTER},
                          open_route = {.operation = NO_OPERATION, .access = ACCESS_OPEN};
static const struct caller ann = {.peer = "10.0.0.1", .user = "ann"}, nobody = {.peer = "10.0.0.1"},
                           elsewhere = {.peer = "10.0.0.2"};

// How many of `count` requests pass.
static unsigned
pass(rate_limit_t *limit, const struct route *route, const struct caller *caller, unsigned count)
{
    unsigned passed = 0, wait_s;
    for (unsigned i = 0; i < count; i++)
        passed += rate_limit_take(limit, route, caller, &wait_s) == OK;
    return passed;
}

Test(rate_limit, without_a_limit_everything_passes)
{
    rate_limit_t *limit = rate_limit_create(0);
    cr_assert_eq(pass(limit, &reading, &nobody, 100000), 100000);
    rate_limit_destroy(&limit);
}

Test(rate_limit, a_limit_is_of_one_user_or_of_one_address)
{
    rate_limit_t *limit = rate_limit_create(1);
    unsigned wait_s = 0;
    cr_assert_eq(pass(limit, &reading, &ann, 1), 1);
    cr_assert_eq(rate_limit_take(limit, &reading, &ann, &wait_s), ERR_THROTTLED);
    cr_assert_eq(wait_s, 1);
    cr_assert_eq(pass(limit, &reading, &nobody, 1), 1);
    cr_assert_eq(rate_limit_take(limit, &reading, &nobody, &wait_s), ERR_THROTTLED);
    cr_assert_eq(pass(limit, &reading, &elsewhere, 1), 1);
    rate_limit_destroy(&limit);
}

Test(rate_limit, what_is_open_is_not_counted)
{
    rate_limit_t *limit = rate_limit_create(1);
    cr_assert_eq(pass(limit, &open_route, &nobody, 1000), 1000);
    cr_assert_eq(pass(limit, &reading, &nobody, 1), 1);
    rate_limit_destroy(&limit);
}

Test(rate_limit, registrations_are_limited_in_any_case)
{
    rate_limit_t *limit = rate_limit_create(0);
    unsigned passed = pass(limit, &registering, &nobody, 100000);
    cr_assert_geq(passed, 10000);
    cr_assert_lt(passed, 20000);
    cr_assert_eq(pass(limit, &registering, &elsewhere, 1), 1);
    cr_assert_eq(pass(limit, &reading, &nobody, 1), 1);
    rate_limit_destroy(&limit);
}
