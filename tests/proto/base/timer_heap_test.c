// timer_heap_test.c - timers come in the order of their times.

#include "proto/base/timer_heap.h"

#include <criterion/criterion.h>

enum { TIMERS = 1000 };

static struct timer_heap heap;
static struct timer timers[TIMERS];

static void
start(void)
{
    heap = (struct timer_heap){0};
    memset(timers, 0, sizeof timers);
}

static void
end(void)
{
    timer_heap_finish(&heap);
}

TestSuite(timer_heap, .init = start, .fini = end);

Test(timer_heap, an_empty_one_is_due_never)
{
    cr_assert_null(timer_heap_first(&heap));
    cr_assert_eq(timer_heap_due_us(&heap), UINT64_MAX);
}

Test(timer_heap, timers_come_in_the_order_of_their_times)
{
    for (unsigned i = 0; i < TIMERS; i++)
        timer_heap_set(&heap, &timers[i], i * 7919 % TIMERS);
    for (unsigned i = 0; i < TIMERS; i++) {
        cr_assert_eq(timer_heap_due_us(&heap), i);
        timer_heap_cancel(&heap, timer_heap_first(&heap));
    }
    cr_assert_null(timer_heap_first(&heap));
}

Test(timer_heap, of_timers_of_one_time_the_one_set_first_comes_first)
{
    for (unsigned i = 0; i < TIMERS; i++)
        timer_heap_set(&heap, &timers[i], 5);
    for (unsigned i = 0; i < TIMERS; i++) {
        cr_assert_eq(timer_heap_first(&heap), &timers[i]);
        timer_heap_cancel(&heap, &timers[i]);
    }
}

Test(timer_heap, a_timer_can_be_moved_both_ways)
{
    for (unsigned i = 0; i < 10; i++)
        timer_heap_set(&heap, &timers[i], 10 + i);
    timer_heap_set(&heap, &timers[9], 1);
    cr_assert_eq(timer_heap_first(&heap), &timers[9]);
    timer_heap_set(&heap, &timers[9], 100);
    cr_assert_eq(timer_heap_first(&heap), &timers[0]);
    cr_assert_eq(heap.count, 10);
}

Test(timer_heap, cancelled_timers_never_come)
{
    for (unsigned i = 0; i < TIMERS; i++)
        timer_heap_set(&heap, &timers[i], i * 7919 % TIMERS);
    for (unsigned i = 0; i < TIMERS; i++)
        if (timers[i].due_us % 3)
            timer_heap_cancel(&heap, &timers[i]);
    for (unsigned i = 0; i < TIMERS; i += 3) {
        cr_assert_eq(timer_heap_due_us(&heap), i);
        timer_heap_cancel(&heap, timer_heap_first(&heap));
    }
    timer_heap_cancel(&heap, &timers[0]);
    cr_assert(!timer_is_set(&timers[0]));
    cr_assert_null(timer_heap_first(&heap));
}
