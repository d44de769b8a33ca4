// timer_heap_test.c - alarms come in the order of their times.

#include <criterion/criterion.h>
#include "actors/streamer/fanout/timer_heap.h"

enum { ALARMS = 1000 };

static struct agenda agenda;
static struct alarm alarms[ALARMS];

static void
start(void)
{
    agenda = (struct agenda){0};
    memset(alarms, 0, sizeof alarms);
}

static void
end(void)
{
    agenda_finish(&agenda);
}

TestSuite(agenda, .init = start, .fini = end);

Test(agenda, an_empty_one_is_due_never)
{
    cr_assert_null(agenda_first(&agenda));
    cr_assert_eq(agenda_due_us(&agenda), UINT64_MAX);
}

Test(agenda, alarms_come_in_the_order_of_their_times)
{
    for (unsigned i = 0; i < ALARMS; i++)
        agenda_set(&agenda, &alarms[i], i * 7919 % ALARMS);
    for (unsigned i = 0; i < ALARMS; i++) {
        cr_assert_eq(agenda_due_us(&agenda), i);
        agenda_cancel(&agenda, agenda_first(&agenda));
    }
    cr_assert_null(agenda_first(&agenda));
}

Test(agenda, of_alarms_of_one_time_the_one_set_first_comes_first)
{
    for (unsigned i = 0; i < ALARMS; i++)
        agenda_set(&agenda, &alarms[i], 5);
    for (unsigned i = 0; i < ALARMS; i++) {
        cr_assert_eq(agenda_first(&agenda), &alarms[i]);
        agenda_cancel(&agenda, &alarms[i]);
    }
}

Test(agenda, an_alarm_can_be_moved_both_ways)
{
    for (unsigned i = 0; i < 10; i++)
        agenda_set(&agenda, &alarms[i], 10 + i);
    agenda_set(&agenda, &alarms[9], 1);
    cr_assert_eq(agenda_first(&agenda), &alarms[9]);
    agenda_set(&agenda, &alarms[9], 100);
    cr_assert_eq(agenda_first(&agenda), &alarms[0]);
    cr_assert_eq(agenda.count, 10);
}

Test(agenda, cancelled_alarms_never_come)
{
    for (unsigned i = 0; i < ALARMS; i++)
        agenda_set(&agenda, &alarms[i], i * 7919 % ALARMS);
    for (unsigned i = 0; i < ALARMS; i++)
        if (alarms[i].due_us % 3)
            agenda_cancel(&agenda, &alarms[i]);
    for (unsigned i = 0; i < ALARMS; i += 3) {
        cr_assert_eq(agenda_due_us(&agenda), i);
        agenda_cancel(&agenda, agenda_first(&agenda));
    }
    agenda_cancel(&agenda, &alarms[0]);
    cr_assert(!alarm_is_set(&alarms[0]));
    cr_assert_null(agenda_first(&agenda));
}
