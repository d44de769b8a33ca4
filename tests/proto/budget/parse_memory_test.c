// parse_memory_test.c - shares of the memory for bodies, and the line of those who wait.
#include "proto/budget/parse_memory.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/message/metrics.h"

enum { HALF = 1000, LONG_MS = 20000 };

static struct parse_share held;
static const struct parse_payer ann = {.name = "ann"};

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
    return parse_share_take(&ann, PARSE_READING, size, clock_deadline_ms(wait_ms), ret_share);
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
    cr_assert_eq(parse_share_take(&ann, PARSE_ARRIVING, HALF, clock_deadline_ms(0), &arriving), OK);
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

// ---------------------------------------------------------------- payers

enum { BUDGET = 300 };

static struct parse_payer
payer_with_budget(budget_book_t *book, const char *name)
{
    struct parse_payer payer = {.book = book};
    strcpy(payer.name, name);
    return payer;
}

static budget_book_t *
small_book(void)
{
    const int64_t limits[BUDGET_COUNT] = {[BUDGET_PARSE_BYTES] = BUDGET};
    return budget_book_create(limits, 1);
}

Test(parse_memory, who_is_over_their_budget_waits_for_themselves_alone)
{
    budget_book_t *book = small_book();
    const struct parse_payer greedy = payer_with_budget(book, "greedy"),
                             modest = payer_with_budget(book, "modest");
    struct parse_share more = {0}, others = {0};
    cr_assert_eq(parse_share_take(&greedy, PARSE_READING, BUDGET, clock_deadline_ms(0), &held), OK);
    cr_assert_eq(parse_share_take(&greedy, PARSE_READING, 1, clock_deadline_ms(20), &more),
                 ERR_UNAVAILABLE);
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "greedy"), BUDGET);
    cr_assert_eq(parse_share_take(&modest, PARSE_READING, BUDGET, clock_deadline_ms(0), &others),
                 OK);
    parse_share_release(&held);
    parse_share_release(&others);
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "greedy"), 0);
    cr_assert_eq(counter_get(GAUGE_BUDGET_HELD + BUDGET_PARSE_BYTES), 0);
    budget_book_destroy(&book);
}

Test(parse_memory, who_finds_no_room_in_the_half_gives_their_budget_back)
{
    budget_book_t *book = small_book();
    const struct parse_payer greedy = payer_with_budget(book, "greedy");
    struct parse_share more = {0};
    cr_assert_eq(take(HALF, 0, &held), OK);
    cr_assert_eq(parse_share_take(&greedy, PARSE_READING, 1, clock_deadline_ms(20), &more),
                 ERR_UNAVAILABLE);
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "greedy"), 0);
    cr_assert_eq(more.size, 0);
    budget_book_destroy(&book);
}

Test(parse_memory, what_a_message_carries_is_given_back_with_it)
{
    budget_book_t *book = small_book();
    const struct parse_payer payer = payer_with_budget(book, "greedy");
    struct message *message = message_create(OBJECT_QUERY);
    cr_assert_null(parse_share_move(&held), "nothing moves");
    cr_assert_eq(parse_share_take(&payer, PARSE_READING, HALF, clock_deadline_ms(0), &held), OK,
                 "a body of more than the budget fits alone");
    parse_share_settle(&held, 200);
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "greedy"), 200);
    message->share = parse_share_move(&held);
    cr_assert_eq(held.size, 0);
    message_destroy(&message);
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "greedy"), 0);
    cr_assert_eq(take(HALF, 0, &held), OK);
    budget_book_destroy(&book);
}
