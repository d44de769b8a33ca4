// record_orders_test.c - the orders of a set that changes have what the set has, in order, whenever
// they were made. The leak check of the address sanitizer counts what they free.
#include "actors/runtime/record_orders.h"

#include <criterion/criterion.h>

#include "actors/runtime/list_walk.h"
#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/list_objects.h"

enum { NUMBERS = 700, CHANGES = 4000 };

static const actor_t rested;
static const actor_t tired = {.turn.slice_us = 1}; // each slice of it is over at once

static void
change(struct list_set *objects, struct random *random)
{
    unsigned number = (unsigned)random_below(random, NUMBERS);
    if (random_below(random, 4) == 0) {
        list_set_remove(objects, number);
        return;
    }
    owned(record_unref) const frozen_t *object = list_object_random(random, number);
    list_set_put(objects, object);
}

// How many entries the records of the set have in an order.
static size_t
count_entries(struct list_set *objects, enum list_order order)
{
    size_t count, entries = 0;
    const frozen_t *const *records = record_set_items(&objects->set, &count);
    for (size_t i = 0; i < count; i++) {
        struct words words;
        struct opened room;
        const char *word;
        size_t size;
        const struct texts *tags = object_of(frozen_open(records[i], &room))->rare->tags;
        list_words(list_kind_of(&object_schema), frozen_open(records[i], &room), &words);
        if (order == LIST_TAG) // "new hot new" has one of its tags twice
            entries += texts_count(tags) > 2 ? 2 : texts_count(tags);
        for (size_t at = 0;
             order == LIST_WORD && words_next(words.bytes, words.size, &at, &word, &size);)
            entries++;
        entries += order != LIST_TAG && order != LIST_WORD;
    }
    return entries;
}

static void
expect_order(struct list_set *objects, enum list_order order)
{
    const struct ordered_index *index = record_orders_index(&objects->orders, order);
    struct index_place place = {0};
    const struct index_entry *entry, *last = NULL;
    size_t count = 0;
    char last_room[LIST_VALUE_BYTES], room[LIST_VALUE_BYTES];
    const char *last_value = NULL, *value;
    size_t last_size = 0;
    for (; (entry = ordered_index_next(index, &place)) != NULL; last = entry, count++) {
        size_t size = index_entry_value(index, entry, room, &value);
        const frozen_t *record = entry->listed->record;
        cr_assert_eq(record_set_find(&objects->set, frozen_key(record)), record);
        int before = last ? list_value_compare(last_value, last_size, value, size) : -1;
        if (before == 0)
            before = text_compare(frozen_key(last->listed->record), frozen_key(record));
        cr_assert_lt(before, 0, "%s: entry %zu", list_order_name(order), count);
        memcpy(last_room, value, size);
        last_value = last_room;
        last_size = size;
    }
    cr_assert_eq(count_entries(objects, order), count, "%s", list_order_name(order));
    cr_assert_eq(count, index->count);
}

Test(record_orders, follow_every_change)
{
    struct list_set objects = {0};
    struct random random = {1};
    for (enum list_order order = LIST_NAME; order < LIST_ORDER_COUNT; order++)
        list_set_make(&objects, order, &rested);
    for (int i = 0; i < CHANGES; i++)
        change(&objects, &random);
    for (enum list_order order = LIST_NAME; order < LIST_ORDER_COUNT; order++)
        expect_order(&objects, order);
    list_set_finish(&objects);
}

Test(record_orders, are_made_in_slices_while_the_set_changes)
{
    struct list_set objects = {0};
    struct random random = {2};
    for (int i = 0; i < CHANGES; i++)
        change(&objects, &random);
    unsigned slices = 0;
    for (enum list_order order = LIST_NAME; order < LIST_ORDER_COUNT; order++)
        for (; !record_orders_make(&objects.orders, list_kind_of(&object_schema), order,
                                   &objects.set, &tired);
             slices++)
            for (int i = 0; i < 20; i++)
                change(&objects, &random);
    cr_assert_gt(slices, 50);
    for (enum list_order order = LIST_NAME; order < LIST_ORDER_COUNT; order++)
        expect_order(&objects, order);
    list_set_finish(&objects);
}

Test(record_orders, take_nothing_when_all_records_are_gone)
{
    struct list_set objects = {0};
    struct random random = {3};
    list_set_make(&objects, LIST_WORD, &rested);
    list_set_make(&objects, LIST_TAG, &rested);
    for (int i = 0; i < 500; i++)
        change(&objects, &random);
    cr_assert_gt(objects.orders.bytes, 0);
    for (unsigned number = 0; number < NUMBERS; number++)
        list_set_remove(&objects, number);
    cr_assert_eq(0, objects.orders.bytes);
    cr_assert_eq(0, record_orders_index(&objects.orders, LIST_WORD)->slot_count);
    list_set_finish(&objects);
}

Test(record_orders, cost_nothing_before_somebody_asks)
{
    struct list_set objects = {0};
    struct random random = {4};
    for (int i = 0; i < 100; i++)
        change(&objects, &random);
    cr_assert_eq(0, objects.orders.bytes);
    cr_assert_eq(0, objects.orders.listed.count);
    list_set_finish(&objects);
}

Test(record_orders, that_nobody_asks_for_go_at_the_next_change_that_concerns_them)
{
    struct list_set objects = {0};
    owned(record_unref) const frozen_t *first = list_object("000001", "a", "", "", 1);
    owned(record_unref) const frozen_t *renamed = list_object("000001", "b", "", "", 1);
    owned(record_unref) const frozen_t *last = list_object("000002", "c", "", "", 1);
    list_set_put(&objects, first);
    list_set_make(&objects, LIST_NAME, &rested);
    objects.orders.orders[LIST_NAME]->used_ms = 0;
    list_set_put(&objects, renamed);
    cr_assert_null(objects.orders.orders[LIST_NAME]);
    list_set_put(&objects, last);
    cr_assert_eq(0, objects.orders.listed.count);
    list_set_make(&objects, LIST_NAME, &rested);
    expect_order(&objects, LIST_NAME);
    list_set_finish(&objects);
}
