// latency_test.c - shares of times, and how near they are.
#include "tools/cli/latency.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct latency latency;

Test(latency, nothing_noted_is_nothing)
{
    cr_expect_eq(latency_within(&latency, 0.5), 0);
}

Test(latency, short_times_are_exact)
{
    for (uint64_t i = 1; i <= 60; i++)
        latency_note(&latency, i);
    cr_expect_eq(latency_within(&latency, 0), 1);
    cr_expect_eq(latency_within(&latency, 0.5), 30);
    cr_expect_eq(latency_within(&latency, 0.99), 60);
    cr_expect_eq(latency_within(&latency, 1), 60);
}

Test(latency, long_times_are_known_to_a_sixtieth)
{
    for (uint64_t time_us = 1; time_us <= UINT32_MAX; time_us = time_us * 3 / 2 + 1) {
        latency = (struct latency){0};
        latency_note(&latency, time_us);
        latency_note(&latency, UINT32_MAX);
        uint64_t told = latency_within(&latency, 0.5);
        cr_expect_geq(told, time_us);
        cr_expect_leq(told, time_us + time_us / 60);
    }
}

Test(latency, one_slow_in_a_thousand_is_beyond_the_rest)
{
    for (int i = 0; i < 999; i++)
        latency_note(&latency, 50);
    latency_note(&latency, 1000000);
    cr_expect_eq(latency_within(&latency, 0.999), 50);
    cr_expect_eq(latency_within(&latency, 1), 1000000);
    cr_expect_eq(latency.largest_us, 1000000);
}

Test(latency, beyond_an_hour_is_an_hour)
{
    latency_note(&latency, UINT64_MAX);
    cr_expect_eq(latency_within(&latency, 1), UINT32_MAX);
}

Test(latency, two_add_up)
{
    static struct latency other;
    latency_note(&latency, 10);
    latency_note(&other, 20);
    latency_add(&latency, &other);
    cr_expect_eq(latency.count, 2);
    cr_expect_eq(latency_within(&latency, 0.5), 10);
    cr_expect_eq(latency_within(&latency, 1), 20);
}
