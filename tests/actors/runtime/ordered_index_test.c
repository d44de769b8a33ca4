// ordered_index_test.c - places in an index: before and behind values, beginnings and keys.
#include "actors/runtime/ordered_index.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/list_objects.h"

enum { RECORDS = 1000, NAMES = 50 };

static struct arena arena;
static struct ordered_index names;
static struct listed listed[RECORDS];

// Twenty objects of each name, name00 to name49.
static void
fill(void)
{
    ordered_index_init(&names, list_kind_of(&object_schema), LIST_NAME);
    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned number = i * 617 % RECORDS; // in no order
        char key[16], name[48];
        snprintf(key, sizeof key, "%04u", number);
        snprintf(name, sizeof name, "a beginning of many: name%02u", number / 20);
        listed[i] = (struct listed){.record = list_object(key, name, "", "", 0)};
        ordered_index_add(&names, &listed[i]);
    }
}

static void
empty(void)
{
    ordered_index_finish(&names);
    for (unsigned i = 0; i < RECORDS; i++)
        record_unref(&listed[i].record);
    arena_finish(&arena);
}

TestSuite(ordered_index, .init = fill, .fini = empty);

static size_t
rank(enum index_bound bound, const char *value, const char *key)
{
    return ordered_index_rank(&names, ordered_index_seek(&names, bound, value, strlen(value),
                                                         key ? text_from(&arena, key) : NULL));
}

Test(ordered_index, knows_how_many_entries_are_before_a_value)
{
    cr_assert_eq(0, rank(BOUND_LOW, "a", NULL));
    cr_assert_eq(200, rank(BOUND_LOW, "a beginning of many: name10", NULL));
    cr_assert_eq(220, rank(BOUND_HIGH, "a beginning of many: name10", NULL));
    cr_assert_eq(220, rank(BOUND_HIGH, "a beginning of many: name10x", NULL));
    cr_assert_eq(1000, rank(BOUND_HIGH, "b", NULL));
}

Test(ordered_index, knows_where_a_beginning_ends)
{
    cr_assert_eq(400, rank(BOUND_PREFIX, "a beginning of many: name1", NULL));
    cr_assert_eq(1000, rank(BOUND_PREFIX, "a", NULL));
    cr_assert_eq(1000, rank(BOUND_PREFIX, "", NULL));
    cr_assert_eq(0, rank(BOUND_PREFIX, "A", NULL));
}

Test(ordered_index, knows_the_place_of_a_record_among_those_of_its_value)
{
    cr_assert_eq(205, rank(BOUND_AT, "a beginning of many: name10", "0205"));
    cr_assert_eq(206, rank(BOUND_BEHIND, "a beginning of many: name10", "0205"));
    cr_assert_eq(206, rank(BOUND_AT, "a beginning of many: name10", "0205x"));
}

Test(ordered_index, is_walked_in_both_directions)
{
    struct index_place place = {0};
    const struct index_entry *entry;
    char key[16];
    for (unsigned i = 0; i < RECORDS; i++) {
        snprintf(key, sizeof key, "%04u", i);
        cr_assert(text_is(frozen_key(ordered_index_next(&names, &place)->listed->record), key));
    }
    cr_assert_null(ordered_index_next(&names, &place));
    for (unsigned i = RECORDS; i > 0; i--) {
        snprintf(key, sizeof key, "%04u", i - 1);
        entry = ordered_index_previous(&names, &place);
        cr_assert(text_is(frozen_key(entry->listed->record), key), "%s", key);
    }
    cr_assert_null(ordered_index_previous(&names, &place));
}

Test(ordered_index, does_not_grow_with_what_was_removed)
{
    for (unsigned i = 0; i < RECORDS; i++)
        if (i % 100)
            ordered_index_remove(&names, &listed[i]);
    cr_assert_eq(10, names.count);
    cr_assert_leq(names.slot_count, 2);
    for (unsigned i = 0; i < RECORDS; i += 100)
        ordered_index_remove(&names, &listed[i]);
    cr_assert_eq(0, names.slot_count);
}
