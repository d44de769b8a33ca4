// due_sums_test.c - sums of what users pay for, by changes that become durable or do not.
#include "actors/runtime/due_sums.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/asset.h"

static const struct due_row row = {
    .payer = ASSET_USER, .count = BUDGET_SCENES, .content = BUDGET_ASSET_BYTES, .size = ASSET_SIZE};
static const struct due_kind kinds[] = {{'A', &row}, {0}};

static struct arena arena;
static struct due_sums sums;
static struct batch *batch;

static void
begin(void)
{
    batch = batch_create(FAMILY_ASSET);
}

static void
end(void)
{
    due_sums_finish(&sums);
    batch_destroy(&batch);
    arena_finish(&arena);
}

TestSuite(due_sums, .init = begin, .fini = end);

static const frozen_t *
asset(const char *user, int64_t size)
{
    struct record *record = record_new(&arena, &asset_schema);
    record_set_text(record, ASSET_KEY, text_from(&arena, "a"));
    if (user)
        record_set_text(record, ASSET_USER, text_from(&arena, user));
    record_set_integer(record, ASSET_SIZE, size);
    return record_freeze(&asset_schema, record);
}

// What the last write of the payer's sum in the batch says of the number at `index`.
static int64_t
written(const char *payer, unsigned index)
{
    char key[32];
    int size = snprintf(key, sizeof key, "CA%s", payer);
    for (size_t i = batch->count; i-- > 0;) {
        struct bytes found = batch_key(batch, &batch->writes[i]);
        if (found.size == (size_t)size && memcmp(found.data, key, found.size) == 0)
            return batch->writes[i].is_delete
                       ? 0
                       : (int64_t)key_get_u64(
                             (const unsigned char *)batch_value(batch, &batch->writes[i]).data +
                             8 * index);
    }
    return -1;
}

Test(due_sums, each_payer_has_one_write_in_a_batch_however_many_changes_it_has)
{
    owned(record_unref) const frozen_t *one = asset("ann", 60), *two = asset("ann", 5);
    due_sums_stage(&sums, &kinds[0], batch, NULL, one);
    due_sums_stage(&sums, &kinds[0], batch, NULL, two);
    cr_assert_eq(batch->count, 1);
    cr_assert_eq(batch->beside, 1);
    cr_assert_eq(written("ann", 0), 2);
    cr_assert_eq(written("ann", 1), (int64_t)(record_size(one) + record_size(two)));
    cr_assert_eq(written("ann", 2), 65);
}

Test(due_sums, who_has_nothing_left_has_no_sum)
{
    owned(record_unref) const frozen_t *one = asset("ann", 60);
    due_sums_stage(&sums, &kinds[0], batch, NULL, one);
    due_sums_stage(&sums, &kinds[0], batch, one, NULL);
    cr_assert_eq(batch->count, 1);
    cr_assert(batch->writes[0].is_delete);
    cr_assert_eq(due_sums_count(&sums, 'A', "ann"), 0);
}

Test(due_sums, a_record_moves_from_payer_to_payer_and_nobody_is_one)
{
    owned(record_unref) const frozen_t *anns = asset("ann", 60), *nobodys = asset(NULL, 60);
    due_sums_stage(&sums, &kinds[0], batch, NULL, anns);
    due_sums_stage(&sums, &kinds[0], batch, anns, nobodys);
    cr_assert_eq(written("ann", 0), 0);
    cr_assert_eq(written("", 0), 1);
    cr_assert_eq(written("", 2), 60);
}

Test(due_sums, a_change_that_was_dropped_is_in_no_later_sum)
{
    owned(record_unref) const frozen_t *one = asset("ann", 60), *two = asset("ann", 5);
    due_sums_stage(&sums, &kinds[0], batch, NULL, one);
    batch_destroy(&batch);
    batch = batch_create(FAMILY_ASSET);
    due_sums_drop(&sums, &kinds[0], NULL, one);
    due_sums_stage(&sums, &kinds[0], batch, NULL, two);
    cr_assert_eq(written("ann", 0), 1);
    cr_assert_eq(written("ann", 2), 5);
}

Test(due_sums, what_was_stored_is_entered_in_the_book_and_a_newer_sum_by_the_difference)
{
    const int64_t limits[BUDGET_COUNT] = {0};
    budget_book_t *book = budget_book_create(limits, 1);
    unsigned char value[24];
    const struct bytes key = {"CAann", 5}, other = {"CBann", 5}, stored = {value, sizeof value};
    for (unsigned i = 0; i < 3; i++)
        key_put_u64(value + 8 * i, 10 * (i + 1));
    due_sums_take(&sums, book, kinds, key, stored);
    due_sums_take(&sums, book, kinds, other, stored);
    cr_assert_eq(budget_book_held(book, BUDGET_SCENES, "ann"), 10);
    cr_assert_eq(budget_book_held(book, BUDGET_RECORD_BYTES, "ann"), 20);
    key_put_u64(value + 16, 7);
    due_sums_take(&sums, book, kinds, key, stored);
    cr_assert_eq(budget_book_held(book, BUDGET_ASSET_BYTES, "ann"), 7);
    due_sums_take(&sums, book, kinds, key, (struct bytes){0});
    cr_assert_eq(budget_book_held(book, BUDGET_SCENES, "ann"), 0);
    cr_assert_eq(budget_book_held(book, BUDGET_ASSET_BYTES, "ann"), 0);
    budget_book_destroy(&book);
}
