// secondary_index_test.c - records by a value of theirs.
#include "actors/repository/secondary_index.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/records/relationship.h"

enum { RECORDS = 40, VALUES = 5, STEPS = 20000 };

static struct arena arena;

static void
forget(void)
{
    arena_finish(&arena);
}

static const struct text *
value_of(unsigned number)
{
    return text_format(&arena, "value %u", number);
}

// Yours.
static const frozen_t *
new_record(unsigned number)
{
    struct record *record = record_new(&arena, &relationship_schema);
    record_set_text(record, RELATIONSHIP_ID, text_format(&arena, "r%02u", number));
    return record_freeze(&relationship_schema, record);
}

Test(secondary_index, a_value_has_its_records_in_the_order_of_their_keys, .fini = forget)
{
    static const unsigned numbers[] = {3, 1, 2};
    struct secondary_index index = {0};
    size_t count;
    for (size_t i = 0; i < 3; i++) {
        const frozen_t *record = new_record(numbers[i]);
        secondary_index_put(&index, value_of(7), record);
        record_unref(&record);
    }
    const frozen_t *const *found = secondary_index_find(&index, value_of(7), &count);
    cr_assert_eq(count, 3);
    for (unsigned i = 0; i < 3; i++)
        cr_assert(text_equal(frozen_key(found[i]), text_format(&arena, "r%02u", i + 1)));
    secondary_index_find(&index, value_of(8), &count);
    cr_assert_eq(count, 0);
    secondary_index_finish(&index);
}

Test(secondary_index, the_empty_value_is_no_value, .fini = forget)
{
    struct secondary_index index = {0};
    size_t count;
    const frozen_t *record = new_record(0);
    secondary_index_put(&index, NULL, record);
    secondary_index_put(&index, text_from(&arena, ""), record);
    secondary_index_find(&index, NULL, &count);
    cr_assert_eq(count, 0);
    cr_assert_eq(index.postings.count, 0);
    secondary_index_remove(&index, NULL, record);
    record_unref(&record);
    secondary_index_finish(&index);
}

Test(secondary_index, a_value_that_nobody_has_any_more_takes_no_memory, .fini = forget)
{
    struct secondary_index index = {0};
    const frozen_t *record = new_record(0);
    for (unsigned i = 0; i < 100; i++) {
        secondary_index_put(&index, value_of(i), record);
        secondary_index_remove(&index, value_of(i), record);
    }
    cr_assert_eq(index.postings.count, 0);
    cr_assert_eq(secondary_index_room(&index), 0);
    record_unref(&record);
    secondary_index_finish(&index);
}

Test(secondary_index, a_record_that_comes_again_takes_no_more_room, .fini = forget)
{
    struct secondary_index index = {0};
    const frozen_t *record = new_record(0);
    secondary_index_put(&index, value_of(1), record);
    size_t once = secondary_index_room(&index);
    secondary_index_put(&index, value_of(1), record);
    cr_assert_gt(once, 0);
    cr_assert_eq(secondary_index_room(&index), once);
    record_unref(&record);
    secondary_index_finish(&index);
}

static void
check_value(const struct secondary_index *index, unsigned value, bool has[RECORDS][VALUES])
{
    size_t count, expected = 0;
    const frozen_t *const *found = secondary_index_find(index, value_of(value), &count);
    for (unsigned i = 0; i < RECORDS; i++) {
        if (!has[i][value])
            continue;
        cr_assert_lt(expected, count);
        cr_assert(text_equal(frozen_key(found[expected]), text_format(&arena, "r%02u", i)));
        expected++;
    }
    cr_assert_eq(count, expected);
}

Test(secondary_index, agrees_with_a_table_of_flags_after_any_changes, .fini = forget)
{
    struct secondary_index index = {0};
    const frozen_t *records[RECORDS];
    bool has[RECORDS][VALUES] = {0};
    unsigned seed = 1;
    for (unsigned i = 0; i < RECORDS; i++)
        records[i] = new_record(i);
    for (int step = 0; step < STEPS; step++) {
        unsigned record = (unsigned)rand_r(&seed) % RECORDS;
        unsigned value = (unsigned)rand_r(&seed) % VALUES;
        has[record][value] = rand_r(&seed) % 2;
        if (has[record][value])
            secondary_index_put(&index, value_of(value), records[record]);
        else
            secondary_index_remove(&index, value_of(value), records[record]);
        if (step % 16 == 0)
            check_value(&index, value, has);
    }
    secondary_index_finish(&index);
    for (unsigned i = 0; i < RECORDS; i++)
        record_unref(&records[i]);
}
