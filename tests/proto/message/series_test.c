// series_test.c - a sample a second of what the server did. Each test is a process.
#include "proto/message/series.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "proto/message/metrics.h"

static struct series_window window;

static void
finish(void)
{
    series_window_finish(&window);
}

TestSuite(series, .fini = finish);

static unsigned
place_of(const char *name)
{
    return series_find(name, strlen(name));
}

// The newest samples of one series.
static const double *
take(const char *name, unsigned seconds)
{
    series_window_finish(&window);
    series_window_take(UINT64_C(1) << place_of(name), seconds, &window);
    return window.values;
}

Test(series, names_are_different_and_found)
{
    for (unsigned i = 0; i < series_count; i++)
        cr_assert_eq(place_of(series_rows[i].name), i, "%s", series_rows[i].name);
    cr_assert_eq(place_of("events_"), series_count);
    cr_assert_eq(place_of(""), series_count);
}

Test(series, before_the_first_second_is_over_there_is_nothing)
{
    series_sample(5000);
    series_sample(5999);
    take("events", 10);
    cr_assert_eq(window.count, 0);
    cr_assert_eq(window.until_us, 0);
}

Test(series, a_rate_is_what_a_counter_rose_in_each_second)
{
    counter_add(COUNT_EVENTS, 7);
    series_sample(5000);
    counter_add(COUNT_EVENTS, 3);
    series_sample(6001);
    counter_add(COUNT_EVENTS, 4);
    series_sample(6999);
    series_sample(7000);
    const double *events = take("events", 10);
    cr_assert_eq(window.count, 2);
    cr_assert_eq(events[0], 3);
    cr_assert_eq(events[1], 4);
    cr_assert_gt(window.until_us, 0);
}

Test(series, a_rate_of_several_counters_is_their_sum)
{
    series_sample(1000);
    counter_add(COUNT_UDP_OUT, 2);
    counter_add(COUNT_UDP_OUT_PACKED, 5);
    series_sample(2000);
    cr_assert_eq(take("udp_out", 1)[0], 7);
}

Test(series, errors_are_counted_by_their_status)
{
    series_sample(1000);
    answer_observe(OBJECT_GET, 200, 10);
    answer_observe(OBJECT_GET, 404, 10);
    answer_observe(SCENE_GET, 503, 10);
    series_sample(2000);
    cr_assert_eq(take("http_requests", 1)[0], 3);
    cr_assert_eq(take("http_client_errors", 1)[0], 1);
    cr_assert_eq(take("http_server_errors", 1)[0], 1);
}

Test(series, seconds_that_were_left_out_are_unknown)
{
    series_sample(1000);
    counter_add(COUNT_EVENTS, 6);
    series_sample(4000);
    const double *events = take("events", 10);
    cr_assert_eq(window.count, 3);
    cr_assert(isnan(events[0]) && isnan(events[1]));
    cr_assert_eq(events[2], 2); // a second
}

Test(series, a_level_is_that_of_the_moment_and_never_below_zero)
{
    gauge_add(GAUGE_DEVICES, 5);
    series_sample(1000);
    series_sample(2000);
    gauge_add(GAUGE_DEVICES, -6);
    series_sample(3000);
    const double *devices = take("devices", 2);
    cr_assert_eq(devices[0], 5);
    cr_assert_eq(devices[1], 0);
}

Test(series, a_quantile_is_of_that_second_alone)
{
    time_observe(HISTOGRAM_COMMIT_TIME, 9000000);
    series_sample(1000);
    for (int i = 0; i < 100; i++)
        time_observe(HISTOGRAM_COMMIT_TIME, 400); // in the bucket from 250 to 500
    series_sample(2000);
    series_sample(3000);
    const double *commit = take("commit_p99", 2);
    cr_assert_float_eq(commit[0], 0.4975, 1e-9);
    cr_assert(isnan(commit[1]), "nothing was committed");
}

Test(series, the_ring_keeps_an_hour)
{
    for (uint64_t second = 1; second <= LIMIT_SERIES_SECONDS + 10; second++) {
        series_sample(second * 1000);
        counter_add(COUNT_EVENTS, second);
    }
    const double *events = take("events", LIMIT_SERIES_SECONDS);
    cr_assert_eq(window.count, LIMIT_SERIES_SECONDS);
    cr_assert_eq(events[0], 10);
    cr_assert_eq(events[LIMIT_SERIES_SECONDS - 1], LIMIT_SERIES_SECONDS + 9);
    cr_assert_eq(take("events", 2)[0], LIMIT_SERIES_SECONDS + 8);
}

Test(series, the_process_is_measured)
{
    series_sample(1000);
    series_sample(2000);
    cr_assert_gt(take("memory", 1)[0], 1e5);
    cr_assert_geq(take("processor", 1)[0], 0);
}
