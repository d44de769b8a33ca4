// clock_test.c - deadlines, and the two clocks beside each other.
#include "proto/base/clock.h"

#include <criterion/criterion.h>
#include <time.h>

Test(clock, a_deadline_that_has_passed_leaves_nothing)
{
    cr_assert_eq(clock_left_ms(0), 0);
    cr_assert_eq(clock_left_ms(clock_now_ms()), 0);
}

Test(clock, a_deadline_leaves_no_more_than_it_was_set_to)
{
    int left = clock_left_ms(clock_deadline_ms(3600000));
    cr_assert_leq(left, 3600000);
    cr_assert_gt(left, 3600000 - 60000);
}

Test(clock, a_deadline_beyond_a_poll_timeout_leaves_the_longest_one)
{
    cr_assert_eq(clock_left_ms(clock_deadline_ms(UINT64_C(1) << 40)), INT32_MAX);
    cr_assert_eq(clock_left_ms(UINT64_MAX), INT32_MAX);
}

Test(clock, the_monotonic_clock_never_goes_back)
{
    uint64_t last = clock_now_us();
    for (int i = 0; i < 10000; i++) {
        uint64_t now = clock_now_us();
        cr_assert_geq(now, last);
        last = now;
    }
}

Test(clock, milliseconds_are_those_of_the_microseconds)
{
    uint64_t before = clock_now_us() / 1000;
    uint64_t now = clock_now_ms();
    uint64_t after = clock_now_us() / 1000;
    cr_assert_leq(before, now);
    cr_assert_leq(now, after);
}

Test(clock, the_calendar_counts_from_1970)
{
    uint64_t before = (uint64_t)time(NULL) - 1;
    uint64_t now = clock_calendar_us() / 1000000;
    cr_assert_leq(before, now);
    cr_assert_leq(now, (uint64_t)time(NULL) + 1);
}
