// audit_test.c - events on their way to the audit log: order, maximum, texts of clients.
#include "proto/message/audit.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>

#include "proto/base/clock.h"

static struct audit_event taken[16];

static void
note(enum audit_kind kind, int outcome)
{
    const struct audit_event event = {.kind = kind, .operation = "LOGIN", .outcome = outcome};
    audit_note(&event);
}

Test(audit, what_is_noted_before_anybody_listens_is_forgotten)
{
    note(AUDIT_EACH, 1);
    audit_begin();
    cr_assert_eq(audit_take(taken, 16, 0), 0);
    audit_end();
    note(AUDIT_EACH, 1);
}

Test(audit, events_come_in_their_order_and_have_a_time)
{
    audit_begin();
    for (int i = 0; i < 20; i++)
        note(AUDIT_EACH, i);
    cr_assert_eq(audit_take(taken, 16, 0), 16);
    cr_assert_eq(taken[0].outcome, 0);
    cr_assert_gt(taken[0].time_us, 0);
    cr_assert_eq(audit_take(taken, 16, 0), 4);
    cr_assert_eq(taken[3].outcome, 19);
    audit_end();
}

// How often this thread gave up the processor by itself.
static long
count_waits(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

Test(audit, full_queue_counts_what_it_lacks)
{
    audit_begin();
    for (int i = 0; i < AUDIT_QUEUE_EVENTS; i++)
        note(AUDIT_MINUTE, i);
    long waits = count_waits();
    note(AUDIT_MINUTE, 0); // is not worth waiting for
    cr_assert_eq(count_waits(), waits);
    uint64_t begin_ms = clock_now_ms();
    note(AUDIT_SECURITY, 0);
    cr_assert_gt(count_waits(), waits);
    cr_assert_geq(clock_now_ms() - begin_ms, AUDIT_WAIT_MS);
    cr_assert_eq(audit_take_lost(), 2);
    cr_assert_eq(audit_take_lost(), 0);
    audit_end();
}

Test(audit, one_waits_in_vain_and_the_others_go_on)
{
    audit_begin();
    for (int i = 0; i < AUDIT_QUEUE_EVENTS; i++)
        note(AUDIT_EACH, i);
    uint64_t begin_ms = clock_now_ms();
    for (int i = 0; i < 100; i++)
        note(AUDIT_EACH, i);
    cr_assert_lt(clock_now_ms() - begin_ms, 10 * AUDIT_WAIT_MS);
    cr_assert_eq(audit_take_lost(), 100);
    cr_assert_eq(audit_take(taken, 1, 0), 1);
    note(AUDIT_EACH, 1);
    begin_ms = clock_now_ms();
    note(AUDIT_EACH, 2); // the queue moves again: it is worth waiting
    cr_assert_geq(clock_now_ms() - begin_ms, AUDIT_WAIT_MS);
    audit_end();
}

Test(audit, reader_can_be_woken_and_is_asked_to_open_the_file_again)
{
    audit_begin();
    uint64_t begin_ms = clock_now_ms();
    audit_reopen();
    cr_assert_eq(audit_take(taken, 16, 60000), 0);
    audit_wake();
    cr_assert_eq(audit_take(taken, 16, 60000), 0);
    cr_assert_lt(clock_now_ms() - begin_ms, 30000);
    cr_assert(audit_take_reopen());
    cr_assert_not(audit_take_reopen());
    audit_end();
}

Test(audit, name_of_a_client_has_no_nul_and_is_cut_between_characters)
{
    struct arena arena = {0};
    char name[AUDIT_NAME_SIZE], large[400];
    audit_name(text_new(&arena, "a\0b\xff", 4), name);
    cr_assert_str_eq(name, "a?b?");
    memset(large, 'x', sizeof large);
    audit_name(text_new(&arena, large, sizeof large), name);
    cr_assert_eq(strlen(name), AUDIT_NAME_SIZE - 1);
    audit_name(NULL, name);
    cr_assert_str_eq(name, "");
    arena_finish(&arena);
}
