// list_page_test.c - pages of lists against a look at all records: random filters and orders, in
// both directions, in one slice and in many.
#include "actors/runtime/list_page.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/list_objects.h"

enum { NUMBERS = 600 };

static actor_t rested;
static actor_t tired = {.turn.slice_us = 1};

static struct list_set objects;
static bool only_even; // what the viewer may see

static bool
sees(const void *viewer, const struct record *record)
{
    const struct text *key = record_key(record);
    (void)viewer;
    return (text_bytes(key)[text_size(key) - 1] - '0') % 2 == 0;
}

static struct message *
question(const char *sort, int64_t limit, const struct text *after)
{
    struct message *message = message_create(OBJECT_LIST);
    struct record *params = &message->params->base;
    record_set_text(params, PARAMS_SORT, text_from(&message->arena, sort));
    record_set_text(params, PARAMS_AFTER, text_copy(&message->arena, after));
    record_set_integer(params, PARAMS_NUM_RECORDS, limit);
    return message;
}

static void
filter_by(struct message *message, const char *name, const char *type, const char *tag,
          const char *q)
{
    struct record *params = &message->params->base;
    struct record *filter = record_new(&message->arena, &object_edit_schema);
    if (*name)
        record_set_text(filter, OBJECT_NAME, text_from(&message->arena, name));
    if (*type)
        record_set_text(filter, OBJECT_TYPE, text_from(&message->arena, type));
    if (*tag)
        record_set_text(params, PARAMS_TAG, text_from(&message->arena, tag));
    if (*q)
        record_set_text(params, PARAMS_Q, text_from(&message->arena, q));
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = filter;
}

// Runs the handler until it has answered.
static enum error
answer(actor_t *actor, struct message *message)
{
    const struct list_source source = {
        .set = &objects.set, .orders = &objects.orders, .sees = only_even ? sees : NULL};
    const struct list_hold hold = {0};
    enum error error;
    while ((error = list_page(actor, message, list_kind_of(&object_schema), 5, &source, &hold)) ==
           PARKED)
        cr_assert_eq(message_queue_pop(&actor->paused), message);
    return error;
}

struct found {
    const frozen_t *records[NUMBERS];
    size_t count;
};

static struct list_query reference; // of the question under way

static int
compare(const void *a, const void *b)
{
    struct opened a_room, b_room;
    struct list_place first, second;
    list_place_of(&reference, frozen_open(*(const frozen_t *const *)a, &a_room), &first);
    list_place_of(&reference, frozen_open(*(const frozen_t *const *)b, &b_room), &second);
    return list_place_compare(&reference, &first, &second);
}

// What a look at all records finds.
static void
look(struct message *message, struct found *ret_found)
{
    const struct list_known nothing = {0};
    size_t count;
    const frozen_t *const *records = record_set_items(&objects.set, &count);
    ret_found->count = 0;
    cr_assert_eq(list_query_read(message, list_kind_of(&object_schema), 5, &reference), OK);
    struct opened room;
    for (size_t i = 0; i < count; i++)
        if (list_query_finds(&reference, frozen_open(records[i], &room), &nothing) &&
            (!only_even || sees(NULL, frozen_open(records[i], &room))))
            ret_found->records[ret_found->count++] = records[i];
    qsort(ret_found->records, ret_found->count, sizeof ret_found->records[0], compare);
}

// Walks all pages; each must be what the look at all found.
static void
expect_all(actor_t *actor, const char *sort, int64_t limit, const char *name, const char *type,
           const char *tag, const char *q)
{
    struct found expected;
    size_t seen = 0;
    owned(arena_finish) struct arena arena = {0};
    const struct text *after = text_from(&arena, "");
    while (after) {
        owned(message_destroy) struct message *message = question(sort, limit, after);
        filter_by(message, name, type, tag, q);
        cr_assert_eq(answer(actor, message), OK);
        const struct envelope *envelope = (const void *)message->reply.envelope;
        const struct text *next = envelope->next ? text_copy(&arena, envelope->next) : NULL;
        message->params->after = text_from(&message->arena, "");
        look(message, &expected);
        cr_assert_eq(envelope->total, (int64_t)expected.count, "%s %s", sort, q);
        for (uint32_t i = 0; i < message->reply.count; i++, seen++)
            cr_assert_eq(message->reply.records[i], expected.records[seen], "%s %s %s: %zu", sort,
                         type, q, seen);
        cr_assert_eq(next != NULL, seen < expected.count);
        after = next;
    }
    cr_assert_eq(seen, expected.count);
}

static void
fill(void)
{
    struct random random = {9};
    for (unsigned number = 0; number < NUMBERS; number++) {
        owned(record_unref) const frozen_t *object = list_object_random(&random, number);
        list_set_put(&objects, object);
    }
}

static void
empty(void)
{
    list_set_finish(&objects);
}

TestSuite(list_page, .init = fill, .fini = empty);

static void
expect_for(actor_t *actor)
{
    static const char *const sorts[] = {"", "-key", "name", "-name", "type", "changed", "-changed"};
    static const char *const filters[][4] = {
        {"", "", "", ""},          {"zebra", "", "", ""},    {"", "Mesh", "", ""},
        {"", "", "hot", ""},       {"", "", "", "re"},       {"", "", "", "p c"},
        {"", "Curve", "cold", ""}, {"nobody", "", "", ""},   {"", "Mesh", "hot", "red"},
        {"", "", "", "0001"},      {"", "", "new", "hot n"},
    };
    for (size_t i = 0; i < sizeof sorts / sizeof sorts[0]; i++)
        for (size_t j = 0; j < sizeof filters / sizeof filters[0]; j++)
            expect_all(actor, sorts[i], j % 2 ? 7 : 110, filters[j][0], filters[j][1],
                       filters[j][2], filters[j][3]);
}

Test(list_page, pages_are_what_a_look_at_all_records_finds)
{
    expect_for(&rested);
}

Test(list_page, pages_in_many_slices_are_the_same)
{
    expect_for(&tired);
}

Test(list_page, nothing_that_the_viewer_may_not_see_is_in_a_page_or_counted)
{
    only_even = true;
    expect_for(&rested);
    only_even = false;
}

Test(list_page, one_record_is_found_by_its_key)
{
    owned(message_destroy) struct message *message = question("", 10, NULL);
    filter_by(message, "", "", "", "");
    record_set_text(message->records->items[0], OBJECT_KEY, text_from(&message->arena, "000123"));
    cr_assert_eq(answer(&rested, message), OK);
    cr_assert_eq(1, message->reply.count);
    cr_assert(text_is(frozen_key(message->reply.records[0]), "000123"));
}

static unsigned released;

static void
note_release(void *held)
{
    cr_assert_eq(held, &released);
    released++;
}

Test(list_page, what_it_holds_is_released_once_also_where_it_fails)
{
    const struct list_source source = {.set = &objects.set, .orders = &objects.orders};
    const struct list_hold hold = {note_release, &released};
    struct message *message = question("size", 10, NULL);
    cr_assert_eq(list_page(&rested, message, list_kind_of(&object_schema), 5, &source, &hold),
                 ERR_INVALID);
    message_destroy(&message);
    cr_assert_eq(1, released);
}
