// reply_test.c - the bytes of answers.
#include "gateway/reply/reply.h"

#include <criterion/criterion.h>
#include <math.h>

#include "gateway/router.h"
#include "proto/codec/json_text.h"
#include "proto/records/scene.h"

static struct arena arena;
static struct buffer out;
static struct message *message;
static const struct route *route;
static struct etag etag;

static void
finish(void)
{
    message_destroy(&message);
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(reply, .fini = finish);

static void
route_to(const char *path, enum http_method method)
{
    struct route_match match = {0};
    cr_assert_eq(router_find(&arena, path, &match), OK);
    cr_assert_eq(router_pick(&match, method, &route), OK);
    message = message_create((enum operation)route->operation);
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, "s/1"));
}

static void
add_scene(const char *key)
{
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, key));
    const frozen_t *frozen = record_freeze(&scene_schema, scene);
    reply_add(message, frozen);
    record_unref(&frozen);
}

static void
add_packed_scene(const char *key)
{
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, key));
    const packed_t *packed = record_pack(&scene_schema, scene);
    reply_add(message, packed_frozen(packed));
    packed_unref(&packed);
}

static const char *
written(void)
{
    buffer_put_char(&out, '\0');
    return out.data;
}

Test(reply, records_stand_in_their_array)
{
    route_to("/v1/scene/s1", HTTP_PUT);
    add_scene("s1");
    add_scene("s2");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "{\"msg_type\":0,\"err_code\":100,\"num_records\":2,"
                                "\"scenes\":[{\"key\":\"s1\"},{\"key\":\"s2\"}]}");
}

Test(reply, answer_with_the_one_record_of_a_tagged_route_has_its_tag)
{
    struct etag expected;
    route_to("/v1/scene/s1", HTTP_GET);
    add_scene("s1");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    etag_of_record(frozen_record(message->reply.records[0]), &scene_view_full, &expected);
    cr_assert_str_eq(etag.chars, expected.chars);
}

Test(reply, other_answers_have_no_tag)
{
    route_to("/v1/scene/s1", HTTP_PUT);
    add_scene("s1");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(etag.chars, "");
}

Test(reply, envelope_has_its_order)
{
    route_to("/v1/scene/query", HTTP_POST);
    record_set_text(&message->params->base, PARAMS_TRANSACTION_ID,
                    text_from(&message->arena, "t\"1"));
    record_set_integer(&message->params->base, PARAMS_START_RECORD, 20);
    record_set_integer(&reply_envelope(message)->base, ENVELOPE_NEXT_START_RECORD, 30);
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "{\"msg_type\":2,\"err_code\":100,\"num_records\":0,"
                                "\"transaction_id\":\"t\\\"1\",\"start_record\":20,"
                                "\"next_start_record\":30,\"scenes\":[]}");
}

static bool
begins_with(const char *text, const char *beginning)
{
    return text && strncmp(text, beginning, strlen(beginning)) == 0;
}

// The record itself stays as it is: others read it.
Test(reply, scenes_near_a_point_have_their_distances)
{
    static const double distances[] = {1.5, INFINITY};
    route_to("/v1/scene/query", HTTP_POST);
    add_scene("s1");
    add_scene("s2");
    message->reply.distances = distances;
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    const char *first = strstr(written(), "\"distance\":");
    cr_assert(begins_with(first, "\"distance\":1.5,"), "%s", out.data);
    cr_assert(begins_with(strstr(first + 1, "\"distance\":"), "\"distance\":0.0,"), "%s", out.data);
    cr_assert_not(record_has(reply_record(&message->reply, 0), SCENE_DISTANCE));
}

Test(reply, packed_scenes_are_written_like_others)
{
    static const double distances[] = {1.5, 1.5, INFINITY, INFINITY};
    route_to("/v1/scene/query", HTTP_POST);
    for (int i = 0; i < 2; i++) {
        add_scene("s1");
        add_packed_scene("s1");
    }
    message->reply.distances = distances;
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    const char *scene = strchr(written(), '['), *next;
    for (int i = 0; i < 4; i += 2) {
        scene = strchr(scene + 1, '{');
        next = strchr(scene + 1, '{');
        cr_assert(begins_with(strstr(scene, "\"distance\":"),
                              i ? "\"distance\":0.0," : "\"distance\":1.5,"));
        cr_assert_eq(0, memcmp(scene, next, (size_t)(next - scene) - 1), "%s", out.data);
        scene = next;
    }
}

Test(reply, numbers_are_echoed_as_numbers)
{
    route_to("/v1/scene/s1", HTTP_PUT);
    record_set_integer(&message->params->base, PARAMS_TRANSACTION_INTEGER, 12);
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "{\"msg_type\":0,\"err_code\":100,\"num_records\":0,"
                                "\"transaction_id\":12,\"scenes\":[]}");
}

Test(reply, retrieval_of_a_scene_says_start_record)
{
    route_to("/v1/scene/s1", HTTP_GET);
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "{\"msg_type\":2,\"err_code\":100,\"num_records\":0,"
                                "\"start_record\":0,\"scenes\":[]}");
}

Test(reply, bare_update_is_answered_without_records)
{
    route_to("/v1/scene/s1/object/o1", HTTP_POST);
    add_scene("stands for an object");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(),
                     "{\"msg_type\":1,\"err_code\":100,\"num_records\":0,\"objects\":[]}");
}

Test(reply, wrapped_update_is_answered_with_records)
{
    route_to("/v1/scene/s1/object/o1", HTTP_POST);
    message->array = "objects";
    add_scene("k");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_not_null(strstr(written(), "\"num_records\":1,\"objects\":[{\"key\":\"k\""));
}

Test(reply, lock_is_answered_with_an_empty_array)
{
    route_to("/v1/scene/s1/object/o1/lock", HTTP_GET);
    add_scene("stands for an object");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(),
                     "{\"msg_type\":5,\"err_code\":100,\"num_records\":0,\"objects\":[]}");
}

// Forms that no row has yet are tested through rows of their own.
static void
use_row(const struct route *row)
{
    route = row;
    message = message_create((enum operation)row->operation);
}

Test(reply, record_stands_alone_and_is_tagged)
{
    static const struct route row = {
        .operation = SCENE_PUT, .reply = {.form = REPLY_RECORD}, .is_tagged = true};
    struct etag expected;
    use_row(&row);
    add_scene("s1");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    etag_of_record(frozen_record(message->reply.records[0]), &scene_view_key, &expected);
    cr_assert_str_eq(etag.chars, expected.chars);
    cr_assert_str_eq(written(), "{\"key\":\"s1\"}");
    cr_assert_str_eq(reply_media_type(route), "application/json");
}

Test(reply, record_that_is_not_there_is_not_found)
{
    static const struct route row = {.operation = SCENE_PUT, .reply = {.form = REPLY_RECORD}};
    use_row(&row);
    cr_assert_eq(reply_write(route, message, &out, &etag), ERR_NOT_FOUND);
}

Test(reply, array_has_nothing_around_it)
{
    static const struct route row = {.operation = SCENE_PUT, .reply = {.form = REPLY_ARRAY}};
    use_row(&row);
    add_scene("s1");
    add_scene("s2");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "[{\"key\":\"s1\"},{\"key\":\"s2\"}]");
}

Test(reply, array_may_be_empty)
{
    static const struct route row = {.operation = SCENE_PUT, .reply = {.form = REPLY_ARRAY}};
    use_row(&row);
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "[]");
}

Test(reply, text_is_the_key_of_the_first_record)
{
    static const struct route row = {.operation = SCENE_PUT, .reply = {.form = REPLY_TEXT}};
    use_row(&row);
    add_scene("s1");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "s1");
    cr_assert_str_eq(reply_media_type(route), "text/plain");
}

Test(reply, text_may_be_a_fixed_word)
{
    static const struct route row = {.operation = SCENE_PUT,
                                     .reply = {.form = REPLY_TEXT, .word = "Success"}};
    use_row(&row);
    add_scene("s1");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "Success");
}

Test(reply, second_array_has_the_same_records)
{
    static const struct route row = {
        .operation = SCENE_PUT,
        .reply = {.form = REPLY_ENVELOPE, .array = "properties", .also = "objects"}};
    use_row(&row);
    add_scene("p1");
    cr_assert_eq(reply_write(route, message, &out, &etag), OK);
    cr_assert_str_eq(written(), "{\"msg_type\":0,\"err_code\":100,\"num_records\":1,"
                                "\"properties\":[{\"key\":\"p1\"}],"
                                "\"objects\":[{\"key\":\"p1\"}]}");
}

Test(reply, failure_of_a_bare_form_has_no_array)
{
    static const struct route row = {.operation = SCENE_PUT, .reply = {.form = REPLY_ARRAY}};
    const struct fault fault = {
        .error = ERR_INVALID, .pointer = "", .detail = "page must be an integer"};
    reply_write_failure(&(struct reply_failure){.fault = &fault, .route = &row, .request_id = "r"},
                        &out);
    cr_assert_not_null(strstr(written(), "\"num_records\":0,\"errors\":["));
}

Test(reply, location_has_the_key_of_the_first_record)
{
    route_to("/v1/scene/s1/object", HTTP_POST);
    add_scene("k1");
    add_scene("k2");
    reply_write_location(route, message, &out);
    cr_assert_str_eq(written(), "/v1/scene/s%2F1/object/k1");
}

Test(reply, nothing_made_has_no_location)
{
    route_to("/v1/scene/s1/object", HTTP_POST);
    reply_write_location(route, message, &out);
    cr_assert_str_eq(written(), "");
}

Test(reply, failure_reads_for_both_schools)
{
    const struct fault fault = {
        .error = ERR_INVALID, .pointer = "/scenes/0/latitude", .detail = "must be finite"};
    route_to("/v1/scene/s1", HTTP_PUT);
    reply_write_failure(&(struct reply_failure){.fault = &fault, .route = route, .request_id = "r"},
                        &out);
    cr_assert_str_eq(
        written(),
        "{\"type\":\"/problems/invalid\",\"title\":\"A value is invalid.\",\"status\":422,"
        "\"detail\":\"must be finite\",\"msg_type\":0,\"err_code\":111,"
        "\"err_msg\":\"/scenes/0/latitude: must be finite\",\"num_records\":0,\"scenes\":[],"
        "\"errors\":[{\"pointer\":\"/scenes/0/latitude\",\"detail\":\"must be finite\"}],"
        "\"request_id\":\"r\"}");
}

Test(reply, failure_without_a_route_has_no_array)
{
    const struct fault fault = {
        .error = ERR_NOT_FOUND, .pointer = "", .detail = "there is nothing at this path"};
    reply_write_failure(&(struct reply_failure){.fault = &fault, .request_id = "r"}, &out);
    cr_assert_str_eq(
        written(), "{\"type\":\"/problems/not-found\",\"title\":\"Not found.\",\"status\":404,"
                   "\"detail\":\"there is nothing at this path\",\"msg_type\":0,\"err_code\":102,"
                   "\"err_msg\":\"there is nothing at this path\",\"num_records\":0,\"errors\":[],"
                   "\"request_id\":\"r\"}");
}

Test(reply, a_budget_that_is_used_up_is_named)
{
    const struct fault fault = {.error = ERR_OVER_BUDGET, .detail = "full", .budget = "streams"};
    reply_write_failure(&(struct reply_failure){.fault = &fault, .request_id = "r"}, &out);
    const char *text = written();
    cr_assert(strstr(text, "{\"type\":\"/problems/budget\","), "%s", text);
    cr_assert(strstr(text, "\"num_records\":0,\"budget\":\"streams\",\"errors\":[]"), "%s", text);
}

Test(reply, refused_lock_names_the_holder)
{
    const struct fault fault = {.error = ERR_LOCKED, .pointer = "", .detail = "d1 holds the lock"};
    route_to("/v1/scene/s1/object/o1/lock", HTTP_GET);
    record_set_text(&reply_envelope(message)->base, ENVELOPE_HOLDER,
                    text_from(&message->arena, "d1"));
    reply_write_failure(&(struct reply_failure){.fault = &fault,
                                                .route = route,
                                                .envelope = message->reply.envelope,
                                                .request_id = "r"},
                        &out);
    cr_assert_not_null(strstr(written(), "\"err_code\":123,\"err_msg\":\"d1 holds the lock\","
                                         "\"num_records\":0,\"holder\":\"d1\",\"objects\":[],"));
}
