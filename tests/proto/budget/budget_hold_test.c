// budget_hold_test.c - what is held is given back once, and no more.
#include "proto/budget/budget_hold.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"

static budget_book_t *book;
static struct budget_hold hold;

static void
begin(void)
{
    const int64_t limits[BUDGET_COUNT] = {[BUDGET_STREAMS] = 2, [BUDGET_PARSE_BYTES] = 100};
    book = budget_book_create(limits, 1);
    hold = (struct budget_hold){0};
}

static void
end(void)
{
    budget_book_destroy(&book);
}

TestSuite(budget_hold, .init = begin, .fini = end);

Test(budget_hold, what_is_held_is_given_back_once)
{
    cr_assert_eq(budget_hold_take(&hold, book, BUDGET_STREAMS, "ann", 2), OK);
    cr_assert_eq(budget_book_held(book, BUDGET_STREAMS, "ann"), 2);
    budget_hold_end(&hold);
    budget_hold_end(&hold);
    cr_assert_eq(budget_book_held(book, BUDGET_STREAMS, "ann"), 0);
}

Test(budget_hold, a_refusal_holds_nothing)
{
    cr_assert_eq(budget_hold_take(&hold, book, BUDGET_STREAMS, "ann", 3), ERR_OVER_BUDGET);
    cr_assert_null(hold.book);
    budget_hold_end(&hold);
}

Test(budget_hold, it_is_settled_to_what_it_is)
{
    uint64_t deadline_ms = clock_deadline_ms(0);
    cr_assert_eq(budget_hold_await(&hold, book, BUDGET_PARSE_BYTES, "ann", 90, deadline_ms), OK);
    budget_hold_settle(&hold, 20);
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "ann"), 20);
    budget_hold_settle(&hold, 120); // whatever the limit is
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "ann"), 120);
    budget_hold_end(&hold);
    cr_assert_eq(budget_book_held(book, BUDGET_PARSE_BYTES, "ann"), 0);
}

Test(budget_hold, without_a_book_nothing_is_held)
{
    cr_assert_eq(budget_hold_take(&hold, NULL, BUDGET_STREAMS, "ann", 1000), OK);
    budget_hold_settle(&hold, 3);
    budget_hold_end(&hold);
}
