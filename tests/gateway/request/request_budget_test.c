// request_budget_test.c - which requests hold a place, and for how long.
#include "gateway/request/request_budget.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"

static const struct route uploading = {.operation = ASSET_CREATE, .body = BODY_UPLOAD},
                          watching = {.operation = SCENE_WATCH, .reply = {.form = REPLY_STREAM}},
                          finding = {.operation = OBJECT_QUERY, .body = BODY_FILTERS_OR_BARE},
                          listing = {.operation = ASSET_USES}, reading = {.operation = OBJECT_GET};
static const struct caller ann = {.peer = "10.0.0.1", .role = CALLER_USER, .user = "ann"},
                           here = {.peer = "127.0.0.1", .loopback = true};

static budget_book_t *book;
static struct budget_hold held, more;

static void
begin(void)
{
    const int64_t limits[BUDGET_COUNT] = {
        [BUDGET_UPLOADS] = 1, [BUDGET_STREAMS] = 1, [BUDGET_QUERIES] = 1};
    book = budget_book_create(limits, 1);
}

static void
end(void)
{
    budget_hold_end(&held);
    budget_hold_end(&more);
    budget_book_destroy(&book);
}

TestSuite(request_budget, .init = begin, .fini = end);

Test(request_budget, body_and_answer_say_which)
{
    cr_expect_eq(request_budget_of(&uploading), BUDGET_UPLOADS);
    cr_expect_eq(request_budget_of(&watching), BUDGET_STREAMS);
    cr_expect_eq(request_budget_of(&finding), BUDGET_QUERIES);
    cr_expect_eq(request_budget_of(&listing), BUDGET_QUERIES);
    cr_expect_eq(request_budget_of(&reading), BUDGET_COUNT);
}

Test(request_budget, an_upload_holds_its_place_to_its_end)
{
    cr_assert_eq(request_budget_take(&held, book, &uploading, &ann), OK);
    cr_assert_eq(request_budget_take(&more, book, &uploading, &ann), ERR_OVER_BUDGET);
    cr_assert_eq(request_budget_take(&more, book, &watching, &ann), OK);
    budget_hold_end(&held);
    budget_hold_end(&held);
    cr_assert_eq(request_budget_take(&held, book, &uploading, &ann), OK);
}

Test(request_budget, a_query_takes_no_place_before_its_turn)
{
    cr_assert_eq(request_budget_take(&held, book, &finding, &ann), OK);
    cr_assert_eq(budget_book_held(book, BUDGET_QUERIES, "ann"), 0);
    cr_assert_eq(request_budget_await(&held, book, &finding, &ann, clock_deadline_ms(1000)), OK);
    cr_assert_eq(budget_book_held(book, BUDGET_QUERIES, "ann"), 1);
    cr_assert_eq(request_budget_await(&more, book, &finding, &ann, clock_deadline_ms(10)),
                 ERR_UNAVAILABLE);
}

Test(request_budget, other_requests_and_local_callers_hold_nothing)
{
    cr_assert_eq(request_budget_take(&held, book, &reading, &ann), OK);
    cr_assert_eq(request_budget_take(&held, book, &uploading, &here), OK);
    cr_assert_null(held.book);
}
