// feed_plain_test.c - the bytes of the plain datagram.

#include "proto/feed/feed_plain.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"
#include "tests/support/feed_writing.h"

TestSuite(feed_plain, .init = feed_writing_begin, .fini = feed_writing_end);

static struct object *
cube(void)
{
    static const double transform[16] = {1, 0, 0, 5, 0, 1, 0, 6.25, 0, 0, 1, -7, 0, 0, 0, 1};
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    set(&object->base, OBJECT_KEY, "0018880a270698496c36e392");
    set(&object->base, OBJECT_NAME, "cube");
    set(&object->base, OBJECT_SCENE, "s1");
    memcpy(object->transform, transform, sizeof transform);
    record_mark(&object->base, OBJECT_TRANSFORM);
    return object;
}

static void
give_assets(struct object *object, uint32_t count, const char *name)
{
    struct texts *assets = arena_alloc(&arena, sizeof *assets + count * sizeof assets->items[0]);
    assets->count = count;
    for (uint32_t i = 0; i < count; i++)
        assets->items[i] = text_from(&arena, name);
    object->assets = assets;
    record_mark(&object->base, OBJECT_ASSETS);
}

static struct event
event_of(uint8_t msg_type, const struct record *record)
{
    return (struct event){.seq = 1842,
                          .time_us = 1000000,
                          .scene_id = 7,
                          .scene = keep(scene_called("s1")),
                          .record = keep(record),
                          .msg_type = msg_type};
}

static const struct text *
repeated(char byte, size_t size)
{
    char bytes[LIMIT_TEXT_BYTES];
    memset(bytes, byte, size);
    return text_new(&arena, bytes, size);
}

// The datagram of `event` as JSON.
static const struct json *
datagram_of(const struct event *event, bool filler)
{
    const struct json *json = NULL;
    feed_plain_write(event, 1841, filler, &out);
    cr_assert_eq(json_parse(&arena, out.data, out.size, &json), OK);
    return json;
}

#define EXPECT_OUT(literal) expect_bytes(literal, sizeof(literal) - 1)

Test(feed_plain, an_update_has_the_bytes_that_old_clients_read)
{
    struct event event = event_of(EVENT_OBJECT_UPDATED, &cube()->base);
    feed_plain_write(&event, 1841, false, &out);
    EXPECT_OUT("{\"msg_type\":1,\"key\":\"0018880a270698496c36e392\",\"name\":\"cube\","
               "\"scene\":\"s1\",\"type\":\"\",\"subtype\":\"\",\"owner\":\"\",\"parent\":\"\","
               "\"transform\":[1.0,0.0,0.0,5.0,0.0,1.0,0.0,6.25,0.0,0.0,1.0,-7.0,0.0,0.0,0.0,1.0],"
               "\"assets\":[],\"actions\":[],\"seq\":1842,\"prev\":1841}");
}

Test(feed_plain, tags_extras_and_visible_are_shown_where_they_are_set)
{
    struct object *object = cube();
    object->rare->tags = texts_of_one(&arena, text_from(&arena, "red"));
    object->rare->visible = false;
    record_mark(&object->base, OBJECT_TAGS);
    record_mark(&object->base, OBJECT_VISIBLE);
    record_set_text(&object->base, OBJECT_EXTRAS, text_from(&arena, "{\"a\":1}"));
    struct event event = event_of(EVENT_OBJECT_UPDATED, &object->base);
    const struct json *json = datagram_of(&event, false);
    cr_assert(text_is(json_find(json, "tags")->items[0].text, "red"));
    cr_assert_eq(json_find(json_find(json, "extras"), "a")->integer, 1);
    cr_assert_not(json_find(json, "visible")->boolean);
}

Test(feed_plain, extras_that_are_too_large_beside_the_rest_are_left_out)
{
    struct object *object = cube();
    record_set_text(&object->base, OBJECT_EXTRAS, repeated('7', 4000));
    record_set_text(&object->base, OBJECT_PARENT, repeated('p', 4000));
    struct event event = event_of(EVENT_OBJECT_UPDATED, &object->base);
    const struct json *json = datagram_of(&event, false);
    cr_assert_null(json_find(json, "extras"));
    cr_assert_eq(json_find(json, "parent")->text->size, 4000);
    cr_assert(json_find(json, "truncated")->boolean);
}

Test(feed_plain, a_datagram_replaces_what_the_buffer_held)
{
    struct event event = event_of(EVENT_OBJECT_UPDATED, &cube()->base);
    feed_plain_write(&event, 0, false, &out);
    size_t once = out.size;
    feed_plain_write(&event, 0, false, &out);
    cr_assert_eq(out.size, once);
}

Test(feed_plain, a_delete_carries_name_and_transform)
{
    struct event event = event_of(EVENT_OBJECT_DELETED, &cube()->base);
    const struct json *json = datagram_of(&event, false);
    cr_assert_eq(json_find(json, "msg_type")->integer, 3);
    cr_assert(text_is(json_find(json, "name")->text, "cube"));
    cr_assert_eq(json_find(json, "transform")->count, 16);
    cr_assert_eq(json_find(json, "transform")->items[7].number, 6.25);
}

Test(feed_plain, a_datagram_that_would_pass_8_kib_has_no_assets_and_says_so)
{
    struct object *object = cube();
    give_assets(object, LIMIT_ASSETS, "5b98880a270698496c36e392-0000000");
    struct event event = event_of(EVENT_OBJECT_UPDATED, &object->base);
    const struct json *json = datagram_of(&event, false);
    cr_assert_eq(json_find(json, "assets")->count, 0);
    cr_assert_eq(json_find(json, "assets")->type, JSON_ARRAY);
    cr_assert_eq(json_find(json, "actions")->type, JSON_ARRAY);
    cr_assert(json_find(json, "truncated")->boolean);
    cr_assert(text_is(json_find(json, "name")->text, "cube"));
}

Test(feed_plain, a_datagram_that_fits_is_not_truncated)
{
    struct object *object = cube();
    give_assets(object, 200, "5b98880a270698496c36e392");
    struct event event = event_of(EVENT_OBJECT_UPDATED, &object->base);
    const struct json *json = datagram_of(&event, false);
    cr_assert_eq(json_find(json, "assets")->count, 200);
    cr_assert_null(json_find(json, "truncated"));
}

Test(feed_plain, a_datagram_of_exactly_8_kib_is_whole_and_one_byte_more_is_not)
{
    struct object *object = cube();
    record_set_text(&object->base, OBJECT_NAME, NULL);
    object->rare->parent = repeated('p', LIMIT_TEXT_BYTES);
    record_mark(&object->base, OBJECT_PARENT);
    struct event event = event_of(EVENT_OBJECT_UPDATED, &object->base);
    feed_plain_write(&event, 1841, false, &out);
    size_t left = LIMIT_DATAGRAM_BYTES - out.size;
    record_set_text(&object->base, OBJECT_NAME, repeated('n', left));
    event.record = keep(&object->base);
    cr_assert_null(json_find(datagram_of(&event, false), "truncated"));
    cr_assert_eq(out.size, LIMIT_DATAGRAM_BYTES);
    record_set_text(&object->base, OBJECT_NAME, repeated('n', left + 1));
    event.record = keep(&object->base);
    cr_assert_not_null(json_find(datagram_of(&event, false), "truncated"));
    cr_assert_leq(out.size, LIMIT_DATAGRAM_BYTES);
}

Test(feed_plain, long_texts_are_left_empty_one_by_one_until_the_datagram_fits)
{
    static const unsigned texts[] = {OBJECT_NAME, OBJECT_TYPE, OBJECT_SUBTYPE, OBJECT_PARENT};
    struct object *object = cube();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        record_set_text(&object->base, texts[i], repeated('x', 3000));
    give_assets(object, 2, "a");
    struct event event = event_of(EVENT_OBJECT_UPDATED, &object->base);
    const struct json *json = datagram_of(&event, true);
    cr_assert_leq(out.size, LIMIT_DATAGRAM_BYTES);
    cr_assert_eq(json_find(json, "subtype")->text->size, 0);
    cr_assert_eq(json_find(json, "type")->text->size, 0);
    cr_assert_eq(json_find(json, "parent")->text->size, 3000);
    cr_assert_eq(json_find(json, "name")->text->size, 3000);
    cr_assert_eq(json_find(json, "transform")->count, 16);
}

// A property of the scene "s1".
static const struct record *
property_of(const char *members)
{
    const struct json *json;
    struct record *property;
    const struct text *text =
        text_format(&arena, "{\"key\":\"speed\",\"scene\":\"s1\",%s}", members);
    cr_assert_eq(json_parse(&arena, text_bytes(text), text_size(text), &json), OK);
    cr_assert_eq(record_from_json(&arena, &property_schema, json, "", &property), OK);
    return property;
}

Test(feed_plain, a_property_shows_its_values_in_the_form_written_and_no_actions)
{
    const struct record *property =
        property_of("\"values\":[110],\"actions\":[{\"name\":\"walk\"}]");
    struct event event = event_of(EVENT_PROPERTY_UPDATED, property);
    feed_plain_write(&event, 1841, false, &out);
    cr_assert_str_eq(text_chars(text_new(&arena, out.data, out.size)),
                     "{\"msg_type\":9,\"key\":\"speed\",\"name\":\"\",\"scene\":\"s1\","
                     "\"parent\":\"\",\"asset_sub_id\":\"\",\"values\":[110.0],\"actions\":[],"
                     "\"seq\":1842,\"prev\":1841}");
}

Test(feed_plain, events_of_keyframes_show_the_actions)
{
    const struct record *property = property_of(
        "\"actions\":[{\"name\":\"walk\",\"keyframes\":[{\"frame\":-1,\"values\":[2]}]}]");
    struct event event = event_of(EVENT_PROPERTY_KEYFRAME_UPDATED, property);
    feed_plain_write(&event, 1841, false, &out);
    cr_assert_str_eq(
        text_chars(text_new(&arena, out.data, out.size)),
        "{\"msg_type\":24,\"key\":\"speed\",\"name\":\"\",\"scene\":\"s1\","
        "\"parent\":\"\",\"asset_sub_id\":\"\",\"values\":[],\"actions\":[{\"name\":"
        "\"walk\",\"description\":\"\",\"keyframes\":[{\"frame\":-1,\"values\":[2.0]}]}],"
        "\"seq\":1842,\"prev\":1841}");
}

Test(feed_plain, actions_that_cannot_fit_are_left_out_at_once)
{
    enum { FRAMES = 2000 };
    struct buffer frames = {0};
    for (int i = 0; i < FRAMES; i++)
        buffer_put_format(&frames, "%s{\"frame\":%d,\"values\":[1]}", i ? "," : "", i);
    const struct record *property = property_of(
        text_chars(text_format(&arena, "\"actions\":[{\"name\":\"a\",\"keyframes\":[%.*s]}]",
                               (int)frames.size, frames.data)));
    buffer_finish(&frames);
    struct event event = event_of(EVENT_PROPERTY_ACTION_UPDATED, property);
    const struct json *json = datagram_of(&event, false);
    cr_assert_eq(json_find(json, "actions")->count, 0);
    cr_assert(json_find(json, "truncated")->boolean);
}

Test(feed_plain, even_the_longest_name_of_escapes_fits)
{
    struct object *object = cube();
    record_set_text(&object->base, OBJECT_NAME, repeated('\1', LIMIT_TEXT_BYTES));
    struct event event = event_of(EVENT_OBJECT_DELETED, &object->base);
    const struct json *json = datagram_of(&event, true);
    cr_assert_leq(out.size, LIMIT_DATAGRAM_BYTES);
    cr_assert_eq(json_find(json, "name")->text->size, 0);
    cr_assert(text_is(json_find(json, "key")->text, "0018880a270698496c36e392"));
}

Test(feed_plain, the_filler_makes_the_base64_characters_a_multiple_of_four)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t length = 0; length < 8; length++) {
        struct object *object = cube();
        record_set_text(&object->base, OBJECT_NAME, text_new(&arena, "+/+/+/+/", length));
        struct event event = event_of(EVENT_OBJECT_UPDATED, &object->base);
        cr_assert_not_null(json_find(datagram_of(&event, true), "_"));
        size_t count = 0;
        for (size_t i = 0; i < out.size; i++)
            count += memchr(alphabet, out.data[i], sizeof alphabet - 1) != NULL;
        cr_expect_eq(count % 4, 0, "%zu characters at length %zu", count, length);
    }
}
