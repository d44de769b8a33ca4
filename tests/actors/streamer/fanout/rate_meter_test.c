// rate_meter_test.c - the mean of the last seconds.
#include "actors/streamer/fanout/rate_meter.h"

#include <criterion/criterion.h>
#include <math.h>

#define SECOND_US 1000000U

static void
expect_rate(const struct rate_meter *meter, uint64_t now_us, double expected)
{
    double seen = rate_meter_per_s(meter, now_us);
    cr_expect_lt(fabs(seen - expected), expected * 0.05 + 0.01, "%f, not %f", seen, expected);
}

Test(rate_meter, a_steady_rate_is_shown_as_it_is)
{
    struct rate_meter meter = {0};
    uint64_t now_us = 1000 * SECOND_US;
    for (; now_us < 1020 * SECOND_US; now_us += SECOND_US / 60)
        rate_meter_add(&meter, now_us, 2);
    expect_rate(&meter, now_us, 120);
}

Test(rate_meter, what_ended_fades_within_two_windows)
{
    struct rate_meter meter = {0};
    rate_meter_add(&meter, 1000 * SECOND_US, 400);
    cr_expect_gt(rate_meter_per_s(&meter, 1001 * SECOND_US), 50);
    expect_rate(&meter, 1000 * SECOND_US + (2ULL << RATE_METER_BITS), 0);
    expect_rate(&meter, 5000 * SECOND_US, 0);
    expect_rate(&(struct rate_meter){0}, SECOND_US, 0);
}

Test(rate_meter, more_than_it_can_count_is_the_most_that_it_can)
{
    struct rate_meter meter = {0};
    rate_meter_add(&meter, SECOND_US, UINT32_MAX);
    rate_meter_add(&meter, SECOND_US, 5);
    cr_expect_eq(meter.count, UINT32_MAX);
}
