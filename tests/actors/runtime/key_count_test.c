// key_count_test.c - records are counted by their keys: once each, up to a bound, in slices.
#include "actors/runtime/key_count.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "tests/support/stored_objects.h"

enum { OBJECTS = 40 };

static struct stored_objects stored;

static void
fill(void)
{
    stored_objects_begin(&stored);
    for (unsigned i = 0; i < OBJECTS; i++) {
        char key[16];
        snprintf(key, sizeof key, "%06u", i);
        owned(record_unref) const frozen_t *object =
            list_object(key, i % 2 ? "red reed reef" : "blue", i < 10 ? "Mesh" : "", "", i);
        stored_objects_put(&stored, object, false);
    }
}

static void
empty(void)
{
    stored_objects_end(&stored);
}

TestSuite(key_count, .init = fill, .fini = empty);

static uint64_t
count(const struct list_way *way, uint64_t most)
{
    struct key_count keys = {0};
    while (!keys.is_over)
        cr_assert_eq(key_count_go_on(&keys, stored.store, &stored_objects_family, way, most), OK);
    uint64_t found = keys.count;
    key_count_finish(&keys);
    return found;
}

static uint64_t
count_filter(enum list_order order, const char *value)
{
    static struct list_query query;
    struct list_filter filter = {.order = order, .low_size = (uint8_t)strlen(value)};
    memcpy(filter.low, value, strlen(value));
    const struct list_way way = list_way_of_filter(&stored_objects_kind, &query, &filter);
    return count(&way, 1000);
}

Test(key_count, all_and_those_with_a_value_are_counted)
{
    const struct list_way all = list_way_of_all(&stored_objects_kind);
    cr_assert_eq(OBJECTS, count(&all, 1000));
    cr_assert_eq(10, count_filter(LIST_TYPE, "Mesh"));
    cr_assert_eq(0, count_filter(LIST_TYPE, "Mes"));
}

Test(key_count, a_record_counts_once_however_many_of_its_words_begin_like_it)
{
    cr_assert_eq(OBJECTS / 2, count_filter(LIST_WORD, "re"));
    cr_assert_eq(OBJECTS / 2, count_filter(LIST_WORD, "ree"));
}

Test(key_count, no_more_are_counted_than_are_asked_for)
{
    const struct list_way all = list_way_of_all(&stored_objects_kind);
    cr_assert_eq(7, count(&all, 7));
}

Test(key_count, both_ranges_of_a_way_are_counted)
{
    const struct list_way seen = list_way_of_user(&stored_objects_kind, "ann");
    cr_assert_eq(20 + 3, count(&seen, 1000)); // even ones; 7, 21 and 35
    cr_assert_eq(21, count(&seen, 21));
}

Test(key_count, it_goes_on_where_it_ended)
{
    const struct list_way all = list_way_of_all(&stored_objects_kind);
    struct key_count keys = {0};
    cr_assert_eq(key_count_go_on(&keys, stored.store, &stored_objects_family, &all, 15), OK);
    cr_assert_eq(15, keys.count);
    cr_assert_eq(key_count_go_on(&keys, stored.store, &stored_objects_family, &all, 1000), OK);
    cr_assert_eq(OBJECTS, keys.count);
    key_count_finish(&keys);
}
