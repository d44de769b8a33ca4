// parse_memory_test.c - shares of the memory for bodies, and the line of those who wait.
#include "proto/message/parse_memory.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>

#include "proto/base/clock.h"
#include "proto/message/metrics.h"

enum { HALF = 1000, LONG_MS = 20000 };

static struct parse_share held;

static void
begin(void)
{
    parse_memory_init(HALF * 2);
    held = (struct parse_share){0};
}

TestSuite(parse_memory, .init = begin, .timeout = 60);

static enum error
take(size_t size, uint64_t wait_ms, struct parse_share *ret_share)
{
    *ret_share = (struct parse_share){0};
    return parse_share_take(PARSE_READING, size, clock_deadline_ms(wait_ms), ret_share);
}

Test(parse_memory, who_does_not_fit_is_refused_at_the_deadline)
{
    struct parse_share other;
    cr_assert_eq(take(HALF - 10, 0, &held), OK);
    cr_assert_eq(take(11, 20, &other), ERR_UNAVAILABLE);
    cr_assert_eq(other.size, 0);
    cr_assert_eq(take(10, 0, &other), OK);
    parse_share_release(&held);
    cr_assert_eq(held.size, 0);
    cr_assert_eq(take(HALF - 10, 0, &held), OK);
}

Test(parse_memory, a_half_does_not_take_from_the_other)
{
    struct parse_share arriving = {0};
    cr_assert_eq(take(HALF, 0, &held), OK);
    cr_assert_eq(parse_share_take(PARSE_ARRIVING, HALF, clock_deadline_ms(0), &arriving), OK);
}

Test(parse_memory, more_than_there_is_takes_all)
{
    cr_assert_eq(take(HALF * 5, 0, &held), OK);
    cr_assert_eq(held.size, HALF);
}

Test(parse_memory, share_that_is_settled_takes_what_it_really_is)
{
    struct parse_share other;
    cr_assert_eq(take(HALF, 0, &held), OK);
    parse_share_settle(&held, 400);
    cr_assert_eq(take(600, 0, &other), OK);
    parse_share_settle(&other, 700); // more than there is: nobody else gets in
    parse_share_settle(&held, 350);
    struct parse_share third;
    cr_assert_eq(take(1, 0, &third), ERR_UNAVAILABLE);
    parse_share_release(&other);
    cr_assert_eq(take(650, 0, &third), OK);
}

Test(parse_memory, share_of_nothing_stays_nothing)
{
    parse_share_settle(&held, 100);
    cr_assert_eq(held.size, 0);
    struct parse_share all;
    cr_assert_eq(take(HALF, 0, &all), OK);
}

static _Atomic unsigned got;

static void *
wait_and_count(void *argument)
{
    struct parse_share share;
    const size_t *size = argument;
    if (take(*size, LONG_MS, &share) == OK) {
        atomic_fetch_add(&got, 1);
        parse_share_release(&share);
    }
    return NULL;
}

Test(parse_memory, all_who_wait_get_their_turn)
{
    enum { WAITERS = 40 };
    static size_t sizes[] = {1, HALF, 700, 400};
    pthread_t threads[WAITERS];
    atomic_store(&got, 0);
    cr_assert_eq(take(HALF, 0, &held), OK);
    for (unsigned i = 0; i < WAITERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, wait_and_count, &sizes[i % 4]), 0);
    parse_share_release(&held);
    for (unsigned i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(atomic_load(&got), WAITERS);
    cr_assert_eq(take(HALF, 0, &held), OK, "nothing is left over");
}

Test(parse_memory, what_is_taken_is_in_the_metrics)
{
    cr_assert_eq(take(300, 0, &held), OK);
    struct buffer out = {0};
    metrics_print(&out);
    buffer_put_char(&out, '\0');
    cr_assert_not_null(strstr(out.data, "\ndiorama_http_parse_memory_bytes 300\n"));
    buffer_finish(&out);
}
