// rate_limit_test.c - limits by user and by address.
#include "gateway/request/rate_limit.h"

#include <criterion/criterion.h>

static const struct route reading = {.operation = SCENE_GET}, registering = {.operation = REGISTER},
                          open_route = {.operation = NO_OPERATION, .access = ACCESS_OPEN};
static const struct caller ann = {.peer = "10.0.0.1", .role = CALLER_USER, .user = "ann"},
                           nobody = {.peer = "10.0.0.1"}, elsewhere = {.peer = "10.0.0.2"},
                           here = {.peer = "127.0.0.1", .loopback = true};

static budget_book_t *book;
static rate_limit_t *limit;

// At most `per_s` requests a second, and as many at once.
static void
begin(int64_t per_s)
{
    const int64_t limits[BUDGET_COUNT] = {[BUDGET_REQUESTS] = per_s};
    book = budget_book_create(limits, 1);
    limit = rate_limit_create(book, (unsigned)per_s);
}

static void
end(void)
{
    rate_limit_destroy(&limit);
    budget_book_destroy(&book);
}

TestSuite(rate_limit, .fini = end);

// How many of `count` requests pass.
static unsigned
pass(const struct route *route, const struct caller *caller, unsigned count)
{
    unsigned passed = 0, wait_s;
    for (unsigned i = 0; i < count; i++)
        passed += rate_limit_take(limit, route, caller, &wait_s) == OK;
    return passed;
}

Test(rate_limit, without_a_limit_everything_passes)
{
    begin(0);
    cr_assert_eq(pass(&reading, &nobody, 100000), 100000);
}

Test(rate_limit, a_limit_is_of_one_user_or_of_one_address)
{
    unsigned wait_s = 0;
    begin(1);
    cr_assert_eq(pass(&reading, &ann, 1), 1);
    cr_assert_eq(rate_limit_take(limit, &reading, &ann, &wait_s), ERR_OVER_BUDGET);
    cr_assert_str_eq(fault_last()->budget, "requests");
    cr_assert_eq(wait_s, 1);
    cr_assert_eq(pass(&reading, &nobody, 1), 1);
    cr_assert_eq(rate_limit_take(limit, &reading, &nobody, &wait_s), ERR_OVER_BUDGET);
    cr_assert_eq(pass(&reading, &elsewhere, 1), 1);
}

Test(rate_limit, who_is_on_this_machine_is_not_counted)
{
    begin(1);
    cr_assert_eq(pass(&reading, &here, 1000), 1000);
}

Test(rate_limit, what_is_open_is_not_counted)
{
    begin(1);
    cr_assert_eq(pass(&open_route, &nobody, 1000), 1000);
    cr_assert_eq(pass(&reading, &nobody, 1), 1);
}

Test(rate_limit, registrations_are_limited_in_any_case)
{
    begin(0);
    unsigned passed = pass(&registering, &nobody, 100000);
    cr_assert_geq(passed, 10000);
    cr_assert_lt(passed, 20000);
    cr_assert_eq(pass(&registering, &elsewhere, 1), 1);
    cr_assert_eq(pass(&reading, &nobody, 1), 1);
}

Test(rate_limit, every_rate_is_the_one_that_was_asked_for)
{
    static const int64_t every[] = {1, 3, 400, 500, 1000};
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        const struct rate rate = rate_limit_rate(1, every[i]);
        cr_expect_eq(1000000000 / rate.interval, every[i], "%d a second", (int)every[i]);
    }
}

// Asked for as soon as there is room, exactly so many pass in a second, a minute, an hour.
Test(rate_limit, seven_hundred_a_second_are_exactly_as_many)
{
    static const uint64_t seconds[] = {1, 60, 3600};
    const struct rate rate = rate_limit_rate(1, 700);
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
        uint64_t passed = 0, begin_ns = 1, end_ns = begin_ns + seconds[i] * 1000000000;
        rates_t *rates = rates_create(8);
        for (uint64_t now_ns = begin_ns; now_ns <= end_ns;) {
            uint64_t wait_ns = rates_take(rates, 1, &rate, now_ns);
            passed += wait_ns == 0;
            now_ns += wait_ns;
        }
        cr_expect_eq(passed, 700 * seconds[i] + 1, "%d s", (int)seconds[i]); // 1: the burst
        rates_destroy(&rates);
    }
}
