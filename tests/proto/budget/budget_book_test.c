// budget_book_test.c - taking, giving back, waiting, limits of one payer.
#include "proto/budget/budget_book.h"

#include <criterion/criterion.h>
#include <pthread.h>

#include "proto/base/clock.h"
#include "proto/message/metrics.h"

enum { THREADS = 8, ROUNDS = 5000 };

static budget_book_t *book;

static void
begin(void)
{
    const int64_t limits[BUDGET_COUNT] = {[BUDGET_STREAMS] = 2, [BUDGET_QUERIES] = 1};
    book = budget_book_create(limits, 1);
}

static void
end(void)
{
    budget_book_destroy(&book);
}

TestSuite(budget_book, .init = begin, .fini = end);

Test(budget_book, one_payer_ends_at_the_limit_and_others_do_not)
{
    cr_assert_eq(budget_book_take(book, BUDGET_STREAMS, "ann", 2), OK);
    cr_assert_eq(budget_book_take(book, BUDGET_STREAMS, "ann", 1), ERR_OVER_BUDGET);
    cr_assert_str_eq(fault_last()->budget, "streams");
    cr_assert_eq(budget_book_take(book, BUDGET_STREAMS, "bob", 1), OK);
    budget_book_add(book, BUDGET_STREAMS, "ann", -1);
    cr_assert_eq(budget_book_take(book, BUDGET_STREAMS, "ann", 1), OK);
    cr_assert_eq(budget_book_held(book, BUDGET_STREAMS, "ann"), 2);
}

Test(budget_book, zero_is_no_limit)
{
    cr_assert_eq(budget_book_take(book, BUDGET_UPLOADS, "ann", 1000000), OK);
    cr_assert_eq(budget_book_limit(book, BUDGET_UPLOADS, "ann"), 0);
}

Test(budget_book, a_payer_may_have_limits_of_their_own)
{
    int64_t own[BUDGET_COUNT];
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        own[i] = -1;
    own[BUDGET_STREAMS] = 3;
    own[BUDGET_QUERIES] = 0;
    budget_book_set_limits(book, "ann", own);
    cr_assert_eq(budget_book_limit(book, BUDGET_STREAMS, "ann"), 3);
    cr_assert_eq(budget_book_limit(book, BUDGET_STREAMS, "bob"), 2);
    cr_assert_eq(budget_book_take(book, BUDGET_STREAMS, "ann", 3), OK);
    cr_assert_eq(budget_book_take(book, BUDGET_QUERIES, "ann", 100), OK);
    budget_book_set_limits(book, "ann", NULL);
    cr_assert_eq(budget_book_take(book, BUDGET_STREAMS, "ann", 1), ERR_OVER_BUDGET);
}

Test(budget_book, what_is_entered_is_not_refused)
{
    budget_book_add(book, BUDGET_STREAMS, "ann", 10);
    cr_assert_eq(budget_book_held(book, BUDGET_STREAMS, "ann"), 10);
    cr_assert_eq(budget_book_take(book, BUDGET_STREAMS, "ann", 1), ERR_OVER_BUDGET);
}

Test(budget_book, without_a_book_everything_fits)
{
    cr_assert_eq(budget_book_take(NULL, BUDGET_STREAMS, "ann", 100), OK);
    budget_book_add(NULL, BUDGET_STREAMS, "ann", -100);
}

static void *
give_back(void *argument)
{
    (void)argument;
    budget_book_add(book, BUDGET_QUERIES, "ann", -1);
    return NULL;
}

Test(budget_book, who_waits_goes_on_when_there_is_room)
{
    pthread_t thread;
    uint64_t deadline_ms = clock_deadline_ms(60000);
    cr_assert_eq(budget_book_await(book, BUDGET_QUERIES, "ann", 1, deadline_ms), OK);
    pthread_create(&thread, NULL, give_back, NULL);
    cr_assert_eq(budget_book_await(book, BUDGET_QUERIES, "ann", 1, deadline_ms), OK);
    pthread_join(thread, NULL);
    cr_assert_eq(budget_book_held(book, BUDGET_QUERIES, "ann"), 1);
}

Test(budget_book, who_waits_ends_at_the_deadline)
{
    cr_assert_eq(budget_book_take(book, BUDGET_QUERIES, "ann", 1), OK);
    cr_assert_eq(budget_book_await(book, BUDGET_QUERIES, "ann", 1, clock_deadline_ms(20)),
                 ERR_UNAVAILABLE);
}

static void *
await_for_ever(void *argument)
{
    enum error *error = argument;
    *error = budget_book_await(book, BUDGET_QUERIES, "ann", 1, clock_deadline_ms(60000));
    return NULL;
}

Test(budget_book, only_so_many_wait)
{
    pthread_t threads[2];
    enum error errors[2];
    cr_assert_eq(budget_book_take(book, BUDGET_QUERIES, "ann", 1), OK);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, await_for_ever, &errors[i]);
    // One of both has no place to wait in.
    while (counter_get(COUNT_BUDGET_REFUSED + BUDGET_QUERIES) == 0)
        ;
    budget_book_add(book, BUDGET_QUERIES, "ann", -1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(errors[0] + errors[1], ERR_OVER_BUDGET + OK);
}

static void *
take_and_give(void *argument)
{
    char payer[2] = {(char)('a' + *(int *)argument % 3)};
    for (int i = 0; i < ROUNDS; i++)
        if (budget_book_take(book, BUDGET_STREAMS, payer, 1) == OK)
            budget_book_add(book, BUDGET_STREAMS, payer, -1);
    return NULL;
}

Test(budget_book, threads_count_into_one_amount)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, take_and_give, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(budget_book_held(book, BUDGET_STREAMS, "a"), 0);
    cr_assert_eq(counter_get(GAUGE_BUDGET_HELD + BUDGET_STREAMS), 0);
    cr_assert_eq(counter_get(GAUGE_BUDGET_LIMIT + BUDGET_STREAMS), 2);
}
