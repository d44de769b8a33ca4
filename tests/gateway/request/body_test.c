// body_test.c - wrapped, bare, missing and wrong bodies.
#include "gateway/request/body.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct message *message;

static void
finish(void)
{
    message_destroy(&message);
}

TestSuite(body, .fini = finish);

static enum error
read_as(enum body_shape shape, enum operation operation, const char *text)
{
    const struct route route = {.method = HTTP_POST, .operation = operation, .body = shape};
    message_destroy(&message);
    message = message_create(operation);
    return body_read(&route, "", text, strlen(text), message);
}

static const struct object_edit *
object_at(uint32_t index)
{
    return (const struct object_edit *)(const void *)message->records->items[index];
}

Test(body, array_makes_it_wrapped)
{
    cr_assert_eq(read_as(BODY_WRAPPED_OR_BARE, OBJECT_UPDATE,
                         "{\"objects\":[{\"name\":\"a\"},{\"name\":\"b\"}]}"),
                 OK);
    cr_assert_str_eq(message->array, "objects");
    cr_assert_eq(message->records->count, 2);
    cr_assert(text_is(object_at(1)->object.name, "b"));
}

Test(body, empty_array_makes_it_wrapped)
{
    cr_assert_eq(read_as(BODY_WRAPPED_OR_BARE, OBJECT_UPDATE, "{\"objects\":[]}"), OK);
    cr_assert_str_eq(message->array, "objects");
    cr_assert_eq(message->records->count, 0);
}

Test(body, without_an_array_it_is_bare)
{
    cr_assert_eq(read_as(BODY_WRAPPED_OR_BARE, OBJECT_UPDATE,
                         "{\"name\":\"a\",\"translation\":[1,2,3],\"operation\":11}"),
                 OK);
    cr_assert_null(message->array);
    cr_assert_eq(message->records->count, 1);
    cr_assert_eq(object_at(0)->input.translation[2], 3.0);
    cr_assert_eq(params_list_mode(message->params), LIST_REMOVE);
}

Test(body, envelope_is_read_beside_the_array)
{
    cr_assert_eq(read_as(BODY_FILTERS, SCENE_QUERY, "{\"num_records\":5,\"scenes\":[{}]}"), OK);
    cr_assert_eq(message->params->num_records, 5);
}

Test(body, missing_body_is_an_empty_filter)
{
    cr_assert_eq(read_as(BODY_FILTERS_OR_BARE, OBJECT_QUERY, ""), OK);
    cr_assert_null(message->records);
    cr_assert_eq(read_as(BODY_FILTERS, SCENE_QUERY, " \r\n"), OK);
    cr_assert_null(message->records);
    cr_assert_eq(read_as(BODY_FILTERS, SCENE_QUERY, "{}"), OK);
    cr_assert_null(message->records);
}

Test(body, query_has_a_hundred_filters_at_most)
{
    char json[1024] = "{\"scenes\":[{}";
    for (int filters = 1; filters < LIMIT_FILTERS; filters++)
        strcat(json, ",{}");
    size_t size = strlen(json);
    strcat(json, "]}");
    cr_assert_eq(read_as(BODY_FILTERS, SCENE_QUERY, json), OK);
    cr_assert_eq(message->records->count, 100);
    snprintf(json + size, sizeof json - size, ",{}]}");
    cr_assert_eq(read_as(BODY_FILTERS, SCENE_QUERY, json), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/scenes");
}

Test(body, bare_empty_object_is_one_empty_filter)
{
    cr_assert_eq(read_as(BODY_FILTERS_OR_BARE, OBJECT_QUERY, "{}"), OK);
    cr_assert_eq(message->records->count, 1);
    cr_assert_eq(message->records->items[0]->present, 0);
}

Test(body, missing_body_is_missing_data)
{
    cr_assert_eq(read_as(BODY_WRAPPED, REGISTER, ""), ERR_MISSING);
    cr_assert_str_eq(fault_last()->pointer, "");
}

Test(body, missing_array_is_missing_data)
{
    cr_assert_eq(read_as(BODY_WRAPPED, OBJECT_CREATE, "{\"name\":\"a\"}"), ERR_MISSING);
    cr_assert_str_eq(fault_last()->pointer, "/objects");
    cr_assert_eq(read_as(BODY_WRAPPED, REGISTER, "{\"scenes\":null}"), ERR_MISSING);
    cr_assert_str_eq(fault_last()->pointer, "/scenes");
}

Test(body, array_of_another_type_is_malformed)
{
    cr_assert_eq(read_as(BODY_WRAPPED_OR_BARE, OBJECT_UPDATE, "{\"objects\":{}}"), ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->pointer, "/objects");
}

Test(body, record_of_another_type_is_malformed)
{
    cr_assert_eq(read_as(BODY_WRAPPED, OBJECT_CREATE, "{\"objects\":[{},7]}"), ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->pointer, "/objects/1");
}

Test(body, member_of_a_wrapped_record_is_named)
{
    cr_assert_eq(read_as(BODY_WRAPPED, SCENE_PUT, "{\"scenes\":[{},{\"latitude\":\"far\"}]}"),
                 ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->pointer, "/scenes/1/latitude");
}

Test(body, member_of_a_bare_record_is_named)
{
    cr_assert_eq(read_as(BODY_WRAPPED_OR_BARE, OBJECT_UPDATE, "{\"translation\":[1,2]}"),
                 ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/translation");
}

Test(body, what_is_no_object_is_malformed)
{
    static const char *const wrong[] = {"[]", "7", "\"objects\"", "{", "null", "{}{}"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert_eq(read_as(BODY_WRAPPED_OR_BARE, OBJECT_UPDATE, wrong[i]), ERR_MALFORMED, "%s",
                     wrong[i]);
}

Test(body, too_many_records_are_invalid)
{
    struct buffer text = {0};
    buffer_put_chars(&text, "{\"objects\":[{}");
    for (int i = 0; i < LIMIT_RECORDS; i++)
        buffer_put_chars(&text, ",{}");
    buffer_put(&text, "]}", 3);
    cr_assert_eq(read_as(BODY_WRAPPED, OBJECT_CREATE, text.data), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/objects");
    buffer_finish(&text);
}

Test(body, body_of_a_route_without_one_is_ignored)
{
    cr_assert_eq(read_as(BODY_NONE, OBJECT_GET, "not JSON"), OK);
    cr_assert_null(message->records);
}

Test(body, bare_body_is_the_one_record)
{
    cr_assert_eq(read_as(BODY_BARE, OBJECT_UPDATE, "{\"name\":\"a\",\"objects\":[{}]}"), OK);
    cr_assert_null(message->array);
    cr_assert_eq(message->records->count, 1);
    cr_assert(text_is(object_at(0)->object.name, "a"));
    cr_assert_eq(read_as(BODY_BARE, OBJECT_UPDATE, ""), ERR_MISSING);
}

static enum error
read_query(enum http_method method, enum body_shape shape, const char *query, const char *text)
{
    const struct route route = {.method = method, .operation = SCENE_QUERY, .body = shape};
    message_destroy(&message);
    message = message_create(SCENE_QUERY);
    return body_read(&route, query, text, strlen(text), message);
}

static const struct scene *
scene_at(uint32_t index)
{
    return scene_of(message->records->items[index]);
}

Test(body, query_string_is_the_one_record)
{
    cr_assert_eq(read_query(HTTP_GET, BODY_QUERY, "name=a&num_records=3", "not JSON"), OK);
    cr_assert_null(message->array);
    cr_assert_eq(message->records->count, 1);
    cr_assert(text_is(scene_at(0)->name, "a"));
}

Test(body, empty_query_string_is_one_empty_record)
{
    cr_assert_eq(read_query(HTTP_GET, BODY_QUERY, "", ""), OK);
    cr_assert_eq(message->records->count, 1);
    cr_assert_eq(message->records->items[0]->present, 0);
}

Test(body, get_without_a_body_has_its_filter_in_the_query_string)
{
    cr_assert_eq(read_query(HTTP_GET, BODY_FILTERS, "name=a", " "), OK);
    cr_assert(text_is(scene_at(0)->name, "a"));
}

Test(body, get_with_a_body_has_its_filter_there)
{
    cr_assert_eq(read_query(HTTP_GET, BODY_FILTERS, "name=a", "{\"scenes\":[{\"name\":\"b\"}]}"),
                 OK);
    cr_assert(text_is(scene_at(0)->name, "b"));
}

Test(body, post_has_no_filter_in_the_query_string)
{
    cr_assert_eq(read_query(HTTP_POST, BODY_FILTERS, "name=a", ""), OK);
    cr_assert_null(message->records);
}

static enum error
check_media(const char *name, const char *value)
{
    struct http_request request = {.header_count = 1, .headers = {{name, value}}};
    return body_check_media(&request);
}

Test(body, json_is_the_media_type)
{
    cr_assert_eq(check_media("Content-Type", "application/json"), OK);
    cr_assert_eq(check_media("content-type", "Application/JSON; charset=utf-8"), OK);
    cr_assert_eq(check_media("Accept", "text/plain"), OK);
}

Test(body, other_media_types_are_refused)
{
    static const char *const types[] = {"text/plain", "application/x-www-form-urlencoded",
                                        "application/jsonx", "application", ""};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        cr_assert_eq(check_media("Content-Type", types[i]), ERR_MEDIA_TYPE, "%s", types[i]);
}

Test(body, compressed_bodies_are_refused)
{
    cr_assert_eq(check_media("Content-Encoding", "gzip"), ERR_MEDIA_TYPE);
    cr_assert_eq(check_media("Content-Encoding", "identity"), OK);
}

Test(body, small_body_costs_nothing_and_a_large_one_more_than_it_takes)
{
    const struct route route = {
        .method = HTTP_POST, .operation = OBJECT_CREATE, .body = BODY_WRAPPED};
    static char body[20000] = "{\"objects\":[";
    size_t size = strlen(body);
    cr_assert_eq(body_cost(&route, body, size), 0);
    while (size < 15000)
        size += (size_t)snprintf(body + size, sizeof body - size, "{},");
    size += (size_t)snprintf(body + size, sizeof body - size, "{}]}");
    message_destroy(&message);
    message = message_create(OBJECT_CREATE);
    cr_assert_eq(body_read(&route, "", body, size, message), OK);
    cr_assert_geq(body_cost(&route, body, size), message->arena.size);
}

// The body is gone when the actor reads the records.
Test(body, records_borrow_nothing_from_the_body)
{
    char body[] = "{\"objects\":[{\"name\":\"of the body\"}],\"transaction_id\":\"mine\"}";
    const struct route route = {
        .method = HTTP_POST, .operation = OBJECT_CREATE, .body = BODY_WRAPPED};
    message_destroy(&message);
    message = message_create(OBJECT_CREATE);
    cr_assert_eq(body_read(&route, "", body, strlen(body), message), OK);
    memset(body, 'x', sizeof body);
    cr_assert(text_is(object_at(0)->object.name, "of the body"));
    cr_assert(text_is(message->params->transaction_id, "mine"));
}

static enum error
check_keys(uint64_t names, const char *path_key, const char *text)
{
    const struct route route = {.method = HTTP_POST,
                                .operation = OBJECT_UPDATE,
                                .body = BODY_WRAPPED_OR_BARE,
                                .names = names};
    cr_assert_eq(read_as(BODY_WRAPPED_OR_BARE, OBJECT_UPDATE, text), OK);
    record_set_text(&message->params->base, PARAMS_OBJECT, text_from(&message->arena, path_key));
    return body_check_keys(&route, message);
}

Test(body, record_names_what_the_path_names_or_nothing)
{
    static const char mixed[] = "{\"objects\":[{\"key\":\"a\"},{},{\"key\":\"\"},{\"key\":\"b\"}]}";
    uint64_t names = FIELD_BIT(PARAMS_OBJECT);
    cr_assert_eq(check_keys(names, "a", "{\"objects\":[{\"key\":\"a\"},{},{\"key\":\"a\"}]}"), OK);
    cr_assert_eq(check_keys(names, "a", mixed), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/objects/3/key");
    cr_assert_eq(check_keys(names, "a", "{\"key\":\"b\"}"), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/key");
    cr_assert_eq(check_keys(0, "a", mixed), OK, "the path wins where the route says nothing");
}

static const char *
warned_of(enum body_shape shape, const char *text)
{
    cr_assert_eq(read_as(shape, OBJECT_UPDATE, text), OK, "%s", text);
    return message->warnings.first ? text_chars(message->warnings.first->pointer) : "";
}

Test(body, unknown_members_are_warned_of_wherever_they_stand)
{
    cr_expect_str_eq(warned_of(BODY_WRAPPED_OR_BARE, "{\"objects\":[{},{\"nmae\":1}]}"),
                     "/objects/1/nmae");
    cr_expect_str_eq(warned_of(BODY_WRAPPED_OR_BARE, "{\"objects\":[],\"nmae\":1}"), "/nmae");
    cr_expect_str_eq(warned_of(BODY_WRAPPED_OR_BARE, "{\"nmae\":1}"), "/nmae");
    cr_expect_str_eq(warned_of(BODY_FILTERS, "{\"object\":[{}]}"), "/object");
    cr_expect_str_eq(warned_of(BODY_FILTERS, "{}"), "");
}

// What the server answered may come back as a request.
Test(body, answer_is_not_warned_of)
{
    cr_expect_str_eq(warned_of(BODY_WRAPPED,
                               "{\"msg_type\":5,\"err_code\":100,\"num_records\":1,"
                               "\"epoch\":1,\"seq\":2,\"objects\":[{\"scene\":\"s\"}]}"),
                     "");
}

Test(body, strict_refuses_what_is_warned_of)
{
    cr_assert_str_eq(warned_of(BODY_WRAPPED, "{\"objects\":[{\"nmae\":1}]}"), "/objects/0/nmae");
    cr_assert_eq(body_check_strict(message), OK);
    message->params->strict = true;
    cr_assert_eq(body_check_strict(message), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/objects/0/nmae");
    cr_assert_str_eq(warned_of(BODY_WRAPPED, "{\"objects\":[{\"name\":\"a\"}]}"), "");
    message->params->strict = true;
    cr_assert_eq(body_check_strict(message), OK);
}
