// list_query_test.c - what requests say of lists, and which records they find.
#include "proto/message/list_query.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "proto/records/project.h"
#include "proto/records/user.h"

static struct message *message;
static struct list_query query;

static void
begin(void)
{
    message = message_create(OBJECT_LIST);
}

static void
end(void)
{
    message_destroy(&message);
}

TestSuite(list_query, .init = begin, .fini = end);

static void
say(unsigned param, const char *value)
{
    record_set_text(&message->params->base, param, text_from(&message->arena, value));
}

static void
expect_refused(const char *pointer)
{
    struct fault fault;
    cr_assert_eq(list_query_read(message, list_kind_of(&object_schema), 1, &query), ERR_INVALID);
    fault_take(ERR_INVALID, &fault);
    cr_assert_str_eq(pointer, fault.pointer);
}

static enum error
read(void)
{
    return list_query_read(message, list_kind_of(&object_schema), 1, &query);
}

Test(list_query, without_a_word_is_by_key_and_has_fifty)
{
    cr_assert_eq(read(), OK);
    cr_assert_eq(LIST_KEY, query.sort);
    cr_assert_not(query.descending);
    cr_assert_eq(50, query.limit);
    cr_assert_eq(0, query.filter_count);
}

Test(list_query, takes_an_order_by_its_name_and_by_that_of_the_member)
{
    say(PARAMS_SORT, "-changed");
    cr_assert_eq(read(), OK);
    cr_assert_eq(LIST_CHANGED, query.sort);
    cr_assert(query.descending);
    say(PARAMS_SORT, "changed_us");
    cr_assert_eq(read(), OK);
    cr_assert_eq(LIST_CHANGED, query.sort);
}

Test(list_query, refuses_orders_that_the_kind_has_not)
{
    say(PARAMS_SORT, "created");
    expect_refused("/sort");
    say(PARAMS_SORT, "--name");
    expect_refused("/sort");
    say(PARAMS_SORT, "tag");
    expect_refused("/sort");
}

Test(list_query, refuses_filters_that_the_kind_has_not)
{
    say(PARAMS_TAG, "t");
    cr_assert_eq(list_query_read(message, list_kind_of(&user_schema), 0, &query), ERR_INVALID);
}

Test(list_query, refuses_times_that_are_none)
{
    static const char *const wrong[] = {"5", "a..b", "5..x", "..-1", "1...2", "1..2..3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        say(PARAMS_CHANGED, wrong[i]);
        expect_refused("/changed");
    }
}

Test(list_query, takes_half_a_range_of_times)
{
    struct object *object = (void *)record_new(&message->arena, &object_schema);
    const struct list_known nothing = {0};
    say(PARAMS_CHANGED, "100..");
    cr_assert_eq(read(), OK);
    object_set_changed(&object->base, 99);
    cr_assert_not(list_query_finds(&query, &object->base, &nothing));
    object_set_changed(&object->base, 100);
    cr_assert(list_query_finds(&query, &object->base, &nothing));
    say(PARAMS_CHANGED, "..99");
    cr_assert_eq(read(), OK);
    cr_assert_not(list_query_finds(&query, &object->base, &nothing));
}

Test(list_query, refuses_more_words_than_it_looks_for)
{
    say(PARAMS_Q, "a b c d e f g h i j k l m n o p q");
    expect_refused("/q");
}

Test(list_query, tells_long_names_apart_that_begin_alike)
{
    char name[201];
    const struct list_known nothing = {0};
    struct record *filter = record_new(&message->arena, &object_edit_schema);
    struct record *object = record_new(&message->arena, &object_schema);
    memset(name, 'n', sizeof name - 1);
    name[200] = '\0';
    record_set_text(filter, OBJECT_NAME, text_from(&message->arena, name));
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = filter;
    cr_assert_eq(read(), OK);
    cr_assert(query.filters[0].is_cut);
    record_set_text(object, OBJECT_NAME, text_from(&message->arena, name));
    cr_assert(list_query_finds(&query, object, &nothing));
    name[199] = 'x';
    record_set_text(object, OBJECT_NAME, text_from(&message->arena, name));
    cr_assert_not(list_query_finds(&query, object, &nothing));
}

// The cursor behind an object called b, of the request as it is.
static const struct text *
cursor(void)
{
    struct record *object = record_new(&message->arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&message->arena, "k"));
    record_set_text(object, OBJECT_NAME, text_from(&message->arena, "b"));
    say(PARAMS_AFTER, "");
    cr_assert_eq(read(), OK);
    list_answer(message, &query, 3, object);
    return ((const struct envelope *)(const void *)message->reply.envelope)->next;
}

Test(list_query, goes_on_behind_the_place_of_its_cursor)
{
    say(PARAMS_SORT, "name");
    say(PARAMS_AFTER, text_chars(cursor()));
    cr_assert_eq(read(), OK);
    cr_assert(query.has_place);
    cr_assert_eq(3, query.total);
    cr_assert_eq(0, memcmp("b", query.place.value, query.place.size));
    cr_assert(text_is(query.place.key, "k"));
}

Test(list_query, refuses_cursors_of_other_filters_places_and_people)
{
    const char *after = text_chars(cursor());
    say(PARAMS_AFTER, after);
    say(PARAMS_Q, "x");
    expect_refused("/after");
    say(PARAMS_Q, "");
    cr_assert_eq(read(), OK);
    cr_assert_eq(list_query_read(message, list_kind_of(&object_schema), 2, &query), ERR_INVALID);
    snprintf(message->caller.user, sizeof message->caller.user, "somebody");
    expect_refused("/after");
}

Test(list_query, tells_no_more_than_ten_thousand)
{
    const struct envelope *envelope;
    cr_assert_eq(read(), OK);
    list_answer(message, &query, 10000, NULL);
    envelope = (const void *)message->reply.envelope;
    cr_assert_eq(10000, envelope->total);
    cr_assert_not(record_has(&envelope->base, ENVELOPE_AT_LEAST));
    list_answer(message, &query, 10001, NULL);
    cr_assert_eq(10000, envelope->total);
    cr_assert(envelope->at_least);
    cr_assert_null(envelope->next);
}

static bool
finds_changed_at(int64_t time_us)
{
    const struct list_known nothing = {0};
    struct object *object = (struct object *)(void *)record_new(&message->arena, &object_schema);
    object_set_changed(&object->base, time_us);
    return list_query_finds(&query, &object->base, &nothing);
}

Test(list_query, a_time_of_maps_is_when_something_was_changed_last)
{
    say(PARAMS_DATETIME, "1970-01-01T00:00:01Z/1970-01-01T00:00:02Z");
    cr_assert_eq(read(), OK);
    cr_assert_not(finds_changed_at(999999));
    cr_assert(finds_changed_at(1000000));
    cr_assert(finds_changed_at(2999999));
    cr_assert_not(finds_changed_at(3000000));
    say(PARAMS_DATETIME, "yesterday");
    expect_refused("/datetime");
}

Test(list_query, a_time_of_maps_leaves_out_nothing_that_knows_no_time)
{
    say(PARAMS_DATETIME, "1970-01-01T00:00:01Z");
    cr_assert_eq(list_query_read(message, list_kind_of(&user_schema), 1, &query), OK);
    cr_assert_eq(0, query.filter_count);
}

Test(list_query, who_answers_with_places_looks_at_those_of_objects)
{
    say(PARAMS_BBOX, "1,2,3,4");
    expect_refused("/bbox");
    params_place(message->params);
    cr_assert_eq(read(), OK);
    cr_assert_eq(LIST_BOX, query.area.form);
    cr_assert(finds_changed_at(1));
}

Test(list_query, a_list_without_pages_finds_what_its_filter_matches)
{
    struct record *filter = record_new(&message->arena, &object_edit_schema);
    record_set_text(filter, OBJECT_NAME, text_from(&message->arena, "red"));
    list_query_of(list_kind_of(&object_schema), LIST_CHANGED, filter, 7, &query);
    cr_assert_eq(LIST_CHANGED, query.sort);
    cr_assert_eq(7, query.limit);
    cr_assert_eq(1, query.filter_count);
    cr_assert_eq(LIST_NAME, query.filters[0].order);
    cr_assert_null(query.rest);
    list_query_of(list_kind_of(&object_schema), LIST_KEY, NULL, 7, &query);
    cr_assert_eq(0, query.filter_count);
}

Test(list_query, the_key_of_a_kind_that_no_filter_names_is_passed_over)
{
    struct record *filter = record_new(&message->arena, &project_schema);
    record_set_text(filter, PROJECT_ID, text_from(&message->arena, "x"));
    list_query_of(list_kind_of(&project_schema), LIST_KEY, filter, 7, &query);
    cr_assert_null(query.key);
}

Test(list_query, a_value_as_long_as_an_order_has_of_it_is_looked_at_whole)
{
    char value[LIST_VALUE_BYTES + 1];
    struct record *filter = record_new(&message->arena, &object_edit_schema);
    memset(value, 'x', LIST_VALUE_BYTES);
    value[LIST_VALUE_BYTES] = '\0';
    record_set_text(filter, OBJECT_NAME, text_from(&message->arena, value));
    list_query_of(list_kind_of(&object_schema), LIST_KEY, filter, 7, &query);
    cr_assert(query.filters[0].is_cut);
    cr_assert_eq(query.rest, filter);
}
