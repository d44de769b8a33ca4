// record_set_test.c - ordered sets of records, against an array in which each key has its place.
// The leak check of the address sanitizer counts the references.
#include "actors/runtime/record_set.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/samples.h"

enum { KEYS = 1500, OPERATIONS = 12000 };

// A record with this key; `frame` tells it from others with the same.
static const frozen_t *
make(unsigned key, int64_t frame)
{
    struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_format(&arena, "%06u", key));
    record_set_integer(object, OBJECT_FRAME, frame);
    const frozen_t *frozen = record_freeze(&object_schema, object);
    arena_finish(&arena);
    return frozen;
}

// Which record each key has, borrowed from the set.
struct model {
    const frozen_t *records[KEYS];
    size_t count;
};

static void
put(struct record_set *set, struct model *model, unsigned key, int64_t frame)
{
    owned(record_unref) const frozen_t *record = make(key, frame);
    record_set_put(set, record);
    model->count += model->records[key] == NULL;
    model->records[key] = record;
}

static void
drop(struct record_set *set, struct model *model, unsigned key)
{
    owned(arena_finish) struct arena arena = {0};
    record_set_remove(set, text_format(&arena, "%06u", key));
    model->count -= model->records[key] != NULL;
    model->records[key] = NULL;
}

static void
check_find(const struct record_set *set, const struct model *model, unsigned key)
{
    owned(arena_finish) struct arena arena = {0};
    cr_assert_eq(record_set_find(set, text_format(&arena, "%06u", key)), model->records[key],
                 "key %u", key);
    cr_assert_eq(record_set_count(set), model->count);
}

// All in the order of their keys: the model's order.
static void
check_items(struct record_set *set, const struct model *model)
{
    size_t count, next = 0, bytes = 0;
    const frozen_t *const *items = record_set_items(set, &count);
    cr_assert_eq(count, model->count);
    for (unsigned key = 0; key < KEYS; key++) {
        if (!model->records[key])
            continue;
        cr_assert_eq(items[next++], model->records[key]);
        bytes += record_size(model->records[key]);
    }
    cr_assert_eq(set->bytes, bytes);
}

static void
check_like_model(uint64_t seed, unsigned lists_one_in)
{
    static struct model model;
    struct random random = {seed};
    owned(record_set_finish) struct record_set set = {0};
    memset(&model, 0, sizeof model);
    for (int i = 0; i < OPERATIONS; i++) {
        unsigned key = (unsigned)random_below(&random, KEYS);
        if (random_below(&random, 3) == 0)
            drop(&set, &model, key);
        else
            put(&set, &model, key, i);
        check_find(&set, &model, (unsigned)random_below(&random, KEYS));
        if (random_below(&random, lists_one_in) == 0)
            check_items(&set, &model);
    }
    for (unsigned key = 0; key < KEYS; key++)
        check_find(&set, &model, key);
    check_items(&set, &model);
}

Test(record_set, holds_what_an_array_holds_in_order_of_keys)
{
    check_like_model(1, 40);
}

Test(record_set, holds_it_also_where_nobody_lists_meanwhile)
{
    check_like_model(2, OPERATIONS);
}

Test(record_set, is_in_order_whatever_the_order_of_insertion)
{
    static struct model model;
    const unsigned strides[] = {1, 7, KEYS - 1}; // forward, scattered, backward
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        owned(record_set_finish) struct record_set set = {0};
        memset(&model, 0, sizeof model);
        for (unsigned k = 0, key = 0; k < KEYS; k++, key = (key + strides[i]) % KEYS)
            put(&set, &model, key, 0);
        cr_assert_eq(record_set_count(&set), KEYS);
        check_items(&set, &model);
    }
}

Test(record_set, replacing_drops_the_reference_of_the_old_record)
{
    owned(record_set_finish) struct record_set set = {0};
    for (int i = 0; i < 300; i++) { // some in the large array, some in the recent one
        owned(record_unref) const frozen_t *record = make((unsigned)(i * 37 % 300), 1);
        record_set_put(&set, record);
    }
    for (unsigned key = 0; key < 300; key++) {
        owned(record_unref) const frozen_t *record = make(key, 2);
        record_set_put(&set, record);
        record_set_put(&set, record); // itself: the reference stays one
        cr_assert_eq(record_set_find(&set, frozen_key(record)), record);
    }
    cr_assert_eq(record_set_count(&set), 300);
}

Test(record_set, a_record_outlives_the_set_for_who_holds_it)
{
    struct record_set set = {0};
    owned(record_unref) const frozen_t *record = make(5, 9);
    record_set_put(&set, record);
    record_set_finish(&set);
    cr_assert_eq(object_of(frozen_record(record))->rare->frame, 9);
    cr_assert_eq(record_set_count(&set), 0);
}

Test(record_set, the_recent_part_is_merged_before_it_is_large)
{
    static struct model model;
    owned(record_set_finish) struct record_set set = {0};
    memset(&model, 0, sizeof model);
    for (unsigned key = 0; key < 1000; key++)
        put(&set, &model, key, 0);
    cr_assert_eq(set.recent.count, 0, "ascending keys go straight to the large array");
    for (unsigned key = 0; key < 1000; key += 2)
        drop(&set, &model, key);
    size_t largest = 0;
    for (unsigned key = 0; key < 1000; key += 2) {
        put(&set, &model, key, 1);
        largest = set.recent.count > largest ? set.recent.count : largest;
    }
    // About twice the square root of the large array, and not less than 64.
    cr_assert_gt(largest, 0);
    cr_assert_leq(largest, 65);
    check_items(&set, &model);
    cr_assert_eq(set.recent.count, 0);
}

Test(record_set, an_empty_one_lists_nothing)
{
    owned(record_set_finish) struct record_set set = {0};
    owned(arena_finish) struct arena arena = {0};
    size_t count = 1;
    record_set_items(&set, &count);
    cr_assert_eq(count, 0);
    cr_assert_null(record_set_find(&set, text_from(&arena, "a")));
    record_set_remove(&set, text_from(&arena, "a"));
    cr_assert_eq(record_set_count(&set), 0);
}

Test(record_set, knows_where_the_next_record_stands)
{
    owned(record_set_finish) struct record_set set = {0};
    owned(arena_finish) struct arena arena = {0};
    for (unsigned key = 10; key < 1000; key += 10) {
        owned(record_unref) const frozen_t *record = make(key * 7 % 990 + 10, 1);
        record_set_put(&set, record);
    }
    size_t count;
    const frozen_t *const *items = record_set_items(&set, &count);
    for (unsigned key = 0; key < 1010; key += 5) {
        const struct text *text = text_format(&arena, "%06u", key);
        size_t place = record_set_place_after(&set, text);
        cr_assert(place == count || text_compare(frozen_key(items[place]), text) > 0);
        cr_assert(place == 0 || text_compare(frozen_key(items[place - 1]), text) <= 0);
    }
}

Test(record_set, gives_its_records_from_the_last_to_the_first)
{
    owned(record_set_finish) struct record_set set = {0};
    for (unsigned i = 0; i < 300; i++) {
        owned(record_unref) const frozen_t *record = make(i * 37 % 300, 1);
        record_set_put(&set, record);
    }
    owned(arena_finish) struct arena arena = {0};
    for (unsigned key = 300; key-- > 0;) {
        owned(record_unref) const frozen_t *last = record_set_take_last(&set);
        cr_assert(text_equal(frozen_key(last), text_format(&arena, "%06u", key)));
    }
    cr_assert_null(record_set_take_last(&set));
}
