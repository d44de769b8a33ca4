// dues_test.c - what records take from budgets, by changes that become durable or do not.
#include "actors/runtime/dues.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "proto/record/record_packed.h"
#include "proto/records/asset.h"

static const struct due_row row = {
    .payer = ASSET_USER, .count = BUDGET_SCENES, .content = BUDGET_ASSET_BYTES, .size = ASSET_SIZE};

static budget_book_t *book;
static struct arena arena;

static void
begin(void)
{
    const int64_t limits[BUDGET_COUNT] = {[BUDGET_ASSET_BYTES] = 100, [BUDGET_SCENES] = 3};
    book = budget_book_create(limits, 1);
}

static void
end(void)
{
    budget_book_destroy(&book);
    arena_finish(&arena);
}

TestSuite(dues, .init = begin, .fini = end);

static struct record *
loose(const char *user, int64_t size)
{
    struct record *record = record_new(&arena, &asset_schema);
    record_set_text(record, ASSET_KEY, text_from(&arena, "a"));
    if (user)
        record_set_text(record, ASSET_USER, text_from(&arena, user));
    record_set_integer(record, ASSET_SIZE, size);
    return record;
}

static const frozen_t *
asset(const char *user, int64_t size)
{
    return record_freeze(&asset_schema, loose(user, size));
}

static void
assert_held(const char *user, int64_t count, int64_t bytes)
{
    cr_assert_eq(budget_book_held(book, BUDGET_SCENES, user), count);
    cr_assert_eq(budget_book_held(book, BUDGET_ASSET_BYTES, user), bytes);
}

Test(dues, what_is_read_is_entered_and_what_is_deleted_given_back_when_that_is_durable)
{
    const frozen_t *one = asset("ann", 60);
    dues_enter(book, &row, one);
    assert_held("ann", 1, 60);
    cr_assert_eq(budget_book_held(book, BUDGET_RECORD_BYTES, "ann"), (int64_t)record_size(one));
    dues_staged(book, &row, one, NULL);
    assert_held("ann", 1, 60);
    dues_settled(book, &row, one, NULL);
    assert_held("ann", 0, 0);
    cr_assert_eq(budget_book_held(book, BUDGET_RECORD_BYTES, "ann"), 0);
    record_unref(&one);
}

// A scene that rests is packed at a start; what changes it later gives back that of a plain one.
Test(dues, a_packed_record_takes_as_much_as_a_plain_one)
{
    const frozen_t *plain = asset("ann", 60);
    const packed_t *packed = record_pack(&asset_schema, frozen_record(plain));
    dues_enter(book, &row, packed_frozen(packed));
    assert_held("ann", 1, 60);
    cr_assert_eq(budget_book_held(book, BUDGET_RECORD_BYTES, "ann"), (int64_t)record_size(plain));
    packed_unref(&packed);
    record_unref(&plain);
}

Test(dues, what_is_staged_is_taken_and_what_is_dropped_was_never_there)
{
    const frozen_t *one = asset("ann", 60), *other = asset("ann", 90), *less = asset("ann", 10);
    dues_staged(book, &row, NULL, one);
    dues_settled(book, &row, NULL, one);
    dues_staged(book, &row, one, other);
    assert_held("ann", 1, 90);
    dues_dropped(book, &row, one, other);
    assert_held("ann", 1, 60);
    dues_staged(book, &row, one, less);
    assert_held("ann", 1, 60);
    dues_settled(book, &row, one, less);
    assert_held("ann", 1, 10);
    record_unref(&one);
    record_unref(&other);
    record_unref(&less);
}

Test(dues, another_payer_takes_all_of_it_over)
{
    const frozen_t *one = asset("ann", 60), *other = asset("bob", 50);
    dues_enter(book, &row, one);
    dues_staged(book, &row, one, other);
    assert_held("ann", 1, 60);
    assert_held("bob", 1, 50);
    dues_settled(book, &row, one, other);
    assert_held("ann", 0, 0);
    assert_held("bob", 1, 50);
    record_unref(&one);
    record_unref(&other);
}

Test(dues, what_names_nobody_is_free)
{
    const frozen_t *one = asset(NULL, 60);
    dues_enter(book, &row, one);
    assert_held("", 0, 0);
    dues_settled(book, &row, one, NULL);
    record_unref(&one);
}

Test(dues, a_change_is_checked_by_what_it_adds)
{
    owned(message_destroy) struct message *message = message_create(ASSET_CREATE);
    const frozen_t *one = asset("ann", 90);
    message->caller = (struct caller){.role = CALLER_USER, .user = "ann"};
    dues_enter(book, &row, one);
    cr_assert_eq(dues_check(book, &row, message, &asset_schema, NULL, loose("ann", 20)),
                 ERR_OVER_STORED_BUDGET);
    cr_assert_str_eq(fault_last()->budget, "asset_bytes");
    cr_assert_eq(dues_check(book, &row, message, &asset_schema, one, loose("ann", 100)), OK);
    cr_assert_eq(dues_check(book, &row, message, &asset_schema, NULL, loose("ann", 10)), OK);
    cr_assert_eq(dues_check(book, &row, message, &asset_schema, NULL, loose("bob", 90)), OK);
    message->caller.role = CALLER_TRUSTED;
    cr_assert_eq(dues_check(book, &row, message, &asset_schema, NULL, loose("ann", 20)), OK);
    record_unref(&one);
}

Test(dues, an_amount_is_the_callers)
{
    owned(message_destroy) struct message *message = message_create(REGISTER);
    message->caller = (struct caller){.role = CALLER_USER, .user = "ann"};
    cr_assert_eq(dues_check_amount(book, BUDGET_SCENES, message, 3), OK);
    cr_assert_eq(dues_check_amount(book, BUDGET_SCENES, message, 4), ERR_OVER_STORED_BUDGET);
    cr_assert_eq(dues_check_amount(NULL, BUDGET_SCENES, message, 4), OK);
}
