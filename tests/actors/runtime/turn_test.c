// turn_test.c - how long a turn may be, what is counted of it, and what is told of a slow one.
#include "actors/runtime/turn.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/message/metrics.h"

static struct turn turn;

static void
begin(void)
{
    turn_init(&turn, "scene.7", false);
    turn_begin(&turn);
}

TestSuite(turn, .init = begin);

// Works until so much time has passed.
static void
work_us(uint64_t time_us)
{
    for (uint64_t end_us = clock_now_us() + time_us; clock_now_us() < end_us;)
        ;
}

static bool
shows(const char *line)
{
    owned(buffer_finish) struct buffer text = {0};
    metrics_print(&text);
    buffer_put(&text, "", 1);
    return strstr(text.data, line) != NULL;
}

Test(turn, is_long_when_a_slice_has_passed)
{
    cr_assert_eq(turn.slice_us, turn.began_us + TURN_SLICE_US);
    work_us(TURN_SLICE_US);
    cr_assert(turn_is_long(&turn));
    turn_mark(&turn, PING);
    turn_next_slice(&turn);
    cr_assert_geq(turn.slice_us, turn.began_us + 2 * TURN_SLICE_US);
}

Test(turn, is_never_long_where_nobody_began_it)
{
    const struct turn none = {0};
    cr_assert_not(turn_is_long(&none));
}

Test(turn, is_counted_by_both_clocks)
{
    work_us(3000);
    turn_end(&turn, "scene.7", 1);
    cr_assert(shows("diorama_turn_seconds_count{clock=\"cpu\",actor=\"scene.7\"} 1\n"));
    cr_assert(shows("diorama_turn_seconds_count{clock=\"wall\",actor=\"scene.7\"} 1\n"));
    cr_assert(
        shows("diorama_turn_seconds_bucket{clock=\"wall\",actor=\"scene.7\",le=\"0.0025\"} 0\n"));
}

Test(turn, names_the_operation_that_took_longest)
{
    turn_mark(&turn, PING);
    turn.now_us -= 10000000; // ten seconds pass: no machine holds the other two up for so long
    turn_mark(&turn, OBJECT_QUERY);
    turn_mark(&turn, SCENE_GET);
    cr_assert_eq(turn.named, OBJECT_QUERY);
}

Test(turn, that_waits_takes_no_processor_time)
{
    const struct timespec half = {.tv_nsec = 20000000};
    nanosleep(&half, NULL);
    turn_end(&turn, "scene.7", 1);
    cr_assert(
        shows("diorama_turn_seconds_bucket{clock=\"cpu\",actor=\"scene.7\",le=\"0.01\"} 1\n"));
    cr_assert(
        shows("diorama_turn_seconds_bucket{clock=\"wall\",actor=\"scene.7\",le=\"0.01\"} 0\n"));
}
