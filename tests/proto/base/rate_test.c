// rate_test.c - leaky buckets in a bounded table.
#include "proto/base/rate.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const struct rate rate = {.burst = 3, .interval = 100};
enum { NOW = 1000000 };

static rates_t *rates;
static uint64_t ann;

static void
begin(void)
{
    rates = rates_create(1024);
    ann = rates_key(rates, 0, "ann", NULL);
}

static void
end(void)
{
    rates_destroy(&rates);
}

TestSuite(rate, .init = begin, .fini = end);

static void
fill(uint64_t key)
{
    for (int i = 0; i < 3; i++)
        cr_assert_eq(rates_take(rates, key, &rate, NOW), 0);
}

Test(rate, a_burst_passes_and_the_next_one_waits_for_its_interval)
{
    fill(ann);
    cr_assert_eq(rates_take(rates, ann, &rate, NOW), 100);
    cr_assert_eq(rates_take(rates, ann, &rate, NOW + 60), 40);
    cr_assert_eq(rates_take(rates, ann, &rate, NOW + 100), 0);
    cr_assert_eq(rates_take(rates, ann, &rate, NOW + 100), 100);
}

Test(rate, what_is_refused_is_not_counted)
{
    fill(ann);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(rates_take(rates, ann, &rate, NOW), 100);
}

Test(rate, a_quiet_time_gives_the_burst_back)
{
    fill(ann);
    cr_assert_eq(rates_wait(rates, ann, &rate, NOW + 300), 0);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(rates_take(rates, ann, &rate, NOW + 300), 0);
    cr_assert_eq(rates_take(rates, ann, &rate, NOW + 300), 100);
}

Test(rate, buckets_differ_by_kind_and_by_each_name)
{
    fill(ann);
    cr_assert_eq(rates_wait(rates, rates_key(rates, 1, "ann", NULL), &rate, NOW), 0);
    cr_assert_eq(rates_wait(rates, rates_key(rates, 0, "an", "n"), &rate, NOW), 0);
    cr_assert_eq(rates_wait(rates, rates_key(rates, 0, "ann", ""), &rate, NOW), 0);
    cr_assert_neq(rates_key(rates, 0, "a", "nn"), rates_key(rates, 0, "an", "n"));
    cr_assert_eq(rates_wait(rates, rates_key(rates, 0, "ann", NULL), &rate, NOW), 100);
}

Test(rate, a_refund_makes_room)
{
    fill(ann);
    rates_refund(rates, ann, &rate, NOW);
    cr_assert_eq(rates_take(rates, ann, &rate, NOW), 0);
    cr_assert_eq(rates_take(rates, ann, &rate, NOW), 100);
    rates_clear(rates, ann);
    fill(ann);
}

Test(rate, a_bucket_holds_twice_its_burst_at_most)
{
    for (int i = 0; i < 1000; i++)
        rates_charge(rates, ann, &rate, NOW);
    cr_assert_eq(rates_wait(rates, ann, &rate, NOW), 2 * 3 * 100 - 2 * 100);
}

Test(rate, strangers_push_out_the_emptiest_bucket_first)
{
    char name[16];
    fill(ann);
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "%d", i);
        rates_charge(rates, rates_key(rates, 0, name, NULL), &rate, NOW);
    }
    cr_assert_eq(rates_wait(rates, ann, &rate, NOW), 100);
}

Test(rate, waits_are_told_in_whole_seconds)
{
    cr_assert_eq(rate_wait_s(0), 1);
    cr_assert_eq(rate_wait_s(1000), 1);
    cr_assert_eq(rate_wait_s(1001), 2);
    cr_assert_eq(rate_wait_s(60000), 60);
}
