// stored_list_test.c - lists that are read from a store, against a look at all records: random
// filters and orders, in both directions, for those who see all and those who do not.
#include "actors/runtime/stored_list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/record/record_packed.h"
#include "proto/records/object.h"
#include "tests/support/stored_objects.h"

enum { NUMBERS = 3000 };

static struct stored_objects stored;
static const frozen_t *objects[NUMBERS + 2]; // by key
static unsigned object_count;
static const char *user; // who asks; NULL = one who sees all

static void
put(const frozen_t *object)
{
    stored_objects_put(&stored, object, false);
    objects[object_count++] = object;
}

static void
fill(void)
{
    struct random random = {9};
    stored_objects_begin(&stored);
    for (unsigned number = 0; number < NUMBERS; number++) {
        owned(record_unref) const frozen_t *object = list_object_random(&random, number);
        put(frozen_unpack(object)); // what is read of a store is plain
    }
    put(list_object("999998", "stones and stone", "", "stonework", 0));
    put(list_object("999999", "the one with quite other words", "Rare", "once", 1000));
}

static void
empty(void)
{
    stored_objects_end(&stored);
    while (object_count > 0)
        record_unref(&objects[--object_count]);
    user = NULL;
}

TestSuite(stored_list, .init = fill, .fini = empty);

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

// What a query says: name, type, tag, q.
struct wish {
    const char *name, *type, *tag, *q;
};

static void
filter_by(struct message *message, const struct wish *wish)
{
    struct record *params = &message->params->base;
    struct record *filter = record_new(&message->arena, &object_edit_schema);
    if (wish->name)
        record_set_text(filter, OBJECT_NAME, text_from(&message->arena, wish->name));
    if (wish->type)
        record_set_text(filter, OBJECT_TYPE, text_from(&message->arena, wish->type));
    if (wish->tag)
        record_set_text(params, PARAMS_TAG, text_from(&message->arena, wish->tag));
    if (wish->q)
        record_set_text(params, PARAMS_Q, text_from(&message->arena, wish->q));
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = filter;
}

static struct stored_list *
list_of(struct message *message, enum stored_list_form form)
{
    struct stored_list *list =
        stored_list_create(&stored_objects_family, &stored_objects_kind, form);
    list->asker = message;
    list->viewer = (struct list_viewer){
        .sees = user ? stored_object_is_seen : NULL, .viewer = user, .user = user ? user : ""};
    return list;
}

static void
read_all(struct stored_list *list)
{
    while (!stored_list_go_on(list, stored.store)) {
    }
    cr_assert_eq(list->result, OK);
}

static struct list_query reference; // of the question under way

static int
compare(const void *a, const void *b)
{
    struct list_place first, second;
    list_place_of(&reference, frozen_record(*(const frozen_t *const *)a), &first);
    list_place_of(&reference, frozen_record(*(const frozen_t *const *)b), &second);
    return list_place_compare(&reference, &first, &second);
}

// What a look at all records finds, in order.
static unsigned
look(const frozen_t *found[])
{
    const struct list_known nothing = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < object_count; i++)
        if (list_query_finds(&reference, frozen_record(objects[i]), &nothing) &&
            (!user || stored_object_is_seen(user, frozen_record(objects[i]))))
            found[count++] = objects[i];
    qsort(found, count, sizeof *found, compare);
    return count;
}

static void
expect_same(const struct message *answer, const frozen_t *const *expected, const char *of)
{
    for (uint32_t i = 0; i < answer->reply.count; i++)
        cr_assert(text_equal(frozen_key(answer->reply.records[i]), frozen_key(expected[i])),
                  "%s: %u is %s, not %s", of, i, text_chars(frozen_key(answer->reply.records[i])),
                  text_chars(frozen_key(expected[i])));
}

// Walks all pages; each must be what the look at all found.
static void
expect_pages(const char *sort, int64_t limit, const struct wish *wish)
{
    static const frozen_t *expected[NUMBERS + 2];
    unsigned seen = 0, count = 0;
    owned(arena_finish) struct arena arena = {0};
    const struct text *after = text_from(&arena, "");
    while (after) {
        owned(stored_list_destroy) struct stored_list *list =
            list_of(question(sort, limit, after), LIST_OF_PAGE);
        struct message *message = list->asker;
        filter_by(message, wish);
        cr_assert_eq(list_query_read(message, list_kind_of(&object_schema), 5, &list->query), OK);
        reference = list->query;
        count = look(expected);
        read_all(list);
        list_answer(message, &list->query, list->total,
                    list->has_more ? reply_record(&message->reply, message->reply.count - 1)
                                   : NULL);
        expect_same(message, expected + seen, sort);
        seen += message->reply.count;
        const struct envelope *envelope = (const void *)message->reply.envelope;
        cr_assert_eq(envelope->total, (int64_t)count, "%s %s", sort, wish->q);
        after = envelope->next ? text_copy(&arena, envelope->next) : NULL;
        cr_assert_eq(after != NULL, seen < count);
    }
    cr_assert_eq(seen, count);
}

static const struct wish wishes[] = {
    {0},
    {.name = "zebra"},
    {.name = ""},
    {.type = "Mesh"},
    {.tag = "hot"},
    {.q = "re"},
    {.q = "p c"},
    {.type = "Curve", .tag = "cold"},
    {.name = "nobody"},
    {.type = "Mesh", .tag = "hot", .q = "red"},
    {.q = "quite"},
    {.q = "sto"},
    {.type = "Rare"},
    {.tag = "new", .q = "hot n"},
};

enum { WISHES = sizeof wishes / sizeof wishes[0] };

static void
expect_all_pages(void)
{
    static const char *const sorts[] = {"",     "-key",  "name",    "-name",
                                        "type", "-type", "changed", "-changed"};
    for (size_t i = 0; i < sizeof sorts / sizeof sorts[0]; i++)
        for (size_t j = 0; j < WISHES; j++)
            expect_pages(sorts[i], j % 2 ? 400 : 1000, &wishes[j]);
    expect_pages("name", 7, &(struct wish){.type = "Curve", .tag = "cold", .q = "zeb"});
}

Test(stored_list, pages_are_what_a_look_at_all_records_finds)
{
    expect_all_pages();
}

Test(stored_list, a_user_finds_and_counts_what_they_may_see)
{
    user = "";
    expect_all_pages();
    user = "ann";
    expect_all_pages();
}

// A list without pages: so many from a number on.
static void
expect_slice(uint64_t skip, uint32_t limit, const struct wish *wish)
{
    static const frozen_t *expected[NUMBERS + 2];
    owned(stored_list_destroy) struct stored_list *list =
        list_of(message_create(OBJECT_LIST), LIST_OF_SLICE);
    filter_by(list->asker, wish);
    list_query_of(list_kind_of(&object_schema), LIST_CHANGED, list->asker->records->items[0], limit,
                  &list->query);
    list->skip = skip;
    reference = list->query;
    unsigned count = look(expected), left = count > skip ? count - (unsigned)skip : 0;
    read_all(list);
    cr_assert_eq(list->asker->reply.count, left < limit ? left : limit);
    expect_same(list->asker, expected + skip, "slice");
}

Test(stored_list, a_slice_begins_and_ends_anywhere)
{
    static const char *const users[] = {NULL, "", "ann"};
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        user = users[i];
        for (size_t j = 0; j < WISHES; j++)
            if (!wishes[j].q) {
                expect_slice(0, 100, &wishes[j]);
                expect_slice(250, 300, &wishes[j]);
                expect_slice(NUMBERS - 100, 200, &wishes[j]);
                expect_slice(NUMBERS + 2, 200, &wishes[j]);
            }
    }
}

Test(stored_list, a_number_counts_all_however_many)
{
    static const frozen_t *expected[NUMBERS + 2];
    static const char *const users[] = {NULL, "", "ann"};
    for (size_t i = 0; i < 3 * WISHES; i++) {
        user = users[i / WISHES];
        if (wishes[i % WISHES].q)
            continue;
        owned(stored_list_destroy) struct stored_list *list =
            list_of(message_create(OBJECT_LIST), LIST_OF_NUMBER);
        filter_by(list->asker, &wishes[i % WISHES]);
        list_query_of(list_kind_of(&object_schema), LIST_CHANGED, list->asker->records->items[0], 1,
                      &list->query);
        reference = list->query;
        read_all(list);
        cr_assert_eq(list->total, look(expected));
        cr_assert_eq(0, list->asker->reply.count);
    }
}

static struct stored_list *
page_of(const char *sort, int64_t limit, const struct wish *wish)
{
    owned(arena_finish) struct arena arena = {0};
    struct stored_list *list = list_of(question(sort, limit, text_from(&arena, "")), LIST_OF_PAGE);
    filter_by(list->asker, wish);
    cr_assert_eq(list_query_read(list->asker, list_kind_of(&object_schema), 5, &list->query), OK);
    return list;
}

Test(stored_list, one_record_is_found_by_its_key_by_who_may_see_it)
{
    for (int i = 0; i < 2; i++) {
        user = i == 0 ? NULL : "";
        owned(stored_list_destroy) struct stored_list *list = page_of("", 10, &wishes[0]);
        list->query.key = text_from(&list->asker->arena, "000123");
        read_all(list);
        cr_assert_eq(list->total, i == 0);
        cr_assert_eq(list->asker->reply.count, i == 0);
    }
}

Test(stored_list, a_damaged_record_is_left_out)
{
    stored_objects_damage(&stored, "000001");
    owned(stored_list_destroy) struct stored_list *list = page_of("", 3, &wishes[0]);
    read_all(list);
    cr_assert_eq(3, list->asker->reply.count);
    cr_assert(text_is(frozen_key(list->asker->reply.records[1]), "000002"));
    owned(stored_list_destroy) struct stored_list *named = page_of("name", 1000, &wishes[0]);
    read_all(named);
    cr_assert_eq(1000, named->asker->reply.count);
}

// Its index records say what it was.
Test(stored_list, a_record_that_has_moved_on_meanwhile_is_not_found_where_it_was)
{
    owned(record_unref) const frozen_t *moved = list_object("999999", "a zebra", "Other", "", 0);
    stored_objects_put(&stored, moved, true);
    const struct wish gone[] = {{.type = "Rare"}, {.q = "quite"}, {.tag = "once"}};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        owned(stored_list_destroy) struct stored_list *list = page_of("", 3, &gone[i]);
        read_all(list);
        cr_assert_eq(0, list->asker->reply.count);
    }
    owned(stored_list_destroy) struct stored_list *last = page_of("-changed", 1, &wishes[0]);
    read_all(last);
    cr_assert_eq(1, last->asker->reply.count);
    cr_assert_not(text_is(frozen_key(last->asker->reply.records[0]), "999999"));
}

// However many there are, a page behind a cursor reads little more than itself.
Test(stored_list, a_page_far_behind_reads_what_the_page_has)
{
    struct list_place place = {0};
    owned(stored_list_destroy) struct stored_list *list = page_of("changed", 50, &wishes[0]);
    list_place_of(&list->query, frozen_record(objects[NUMBERS + 1]), &place);
    list_value_of_time(19, place.value);
    list->query.has_place = true;
    list->query.place = place;
    list->query.place.key = text_from(&list->asker->arena, "000000");
    list->query.total = -1;
    uint64_t before = gate_ended(stored.store, GATE_READS);
    read_all(list);
    cr_assert_eq(50, list->asker->reply.count);
    cr_assert_eq(51 + 1, gate_ended(stored.store, GATE_READS) - before); // records, and a scan
}

Test(stored_list, who_waits_no_longer_is_told_so)
{
    owned(stored_list_destroy) struct stored_list *list = page_of("name", 10, &wishes[0]);
    list->asker->deadline_ms = 1; // long ago
    cr_assert(stored_list_go_on(list, stored.store));
    cr_assert_eq(list->result, ERR_UNAVAILABLE);
}
