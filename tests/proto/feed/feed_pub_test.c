// feed_pub_test.c - the bytes of the three frames of PUB.
#include "proto/feed/feed_pub.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/codec/json_text.h"
#include "proto/codec/record_msgpack.h"
#include "proto/record/record_packed.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "tests/support/feed_writing.h"

TestSuite(feed_pub, .init = feed_writing_begin, .fini = feed_writing_end);

static struct record *
cube(void)
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    set(&object->base, OBJECT_KEY, "0018880a270698496c36e392");
    set(&object->base, OBJECT_NAME, "cube");
    object->transform[11] = -7;
    record_mark(&object->base, OBJECT_TRANSFORM);
    return &object->base;
}

static struct event
event_of(uint8_t msg_type, const struct record *record)
{
    return (struct event){.seq = 1842,
                          .time_us = 1000000,
                          .scene = keep(scene_called("s1")),
                          .record = keep(record),
                          .msg_type = msg_type};
}

#define EXPECT_OUT(literal) expect_bytes(literal, sizeof(literal) - 1)

Test(feed_pub, a_topic_names_scene_noun_and_type)
{
    struct event event = event_of(EVENT_OBJECT_DELETED, cube());
    feed_pub_topic(&event, &out);
    EXPECT_OUT("scene.s1.object.3");
}

Test(feed_pub, dots_percents_and_controls_of_a_scene_key_are_encoded_in_the_topic)
{
    struct event event = event_of(EVENT_SCENE_UPDATED, scene_called("a.b%c\td"));
    event.scene = event.record;
    feed_pub_topic(&event, &out);
    EXPECT_OUT("scene.a%2Eb%25c%09d.scene.41");
}

Test(feed_pub, the_header_is_a_map_of_five)
{
    struct event event = event_of(EVENT_OBJECT_UPDATED, cube());
    feed_pub_header(&event, 300, &out);
    EXPECT_OUT("\x85"
               "\xa5"
               "epoch\xcd\x01\x2c"
               "\xa3"
               "seq\xcd\x07\x32"
               "\xa7"
               "time_us\xce\x00\x0f\x42\x40"
               "\xa5"
               "scene\xa2"
               "s1"
               "\xa4"
               "type\x01");
}

Test(feed_pub, the_heartbeat_header_is_a_map_of_two)
{
    feed_pub_heartbeat_header(5, 1000000, &out);
    EXPECT_OUT("\x82"
               "\xa5"
               "epoch\x05"
               "\xa7"
               "time_us\xce\x00\x0f\x42\x40");
}

Test(feed_pub, the_heartbeat_body_is_an_empty_map)
{
    feed_pub_heartbeat_body(&out);
    EXPECT_OUT("\x80");
}

Test(feed_pub, a_body_shows_private_members_but_not_hidden_ones)
{
    struct record *device = record_new(&arena, &device_schema);
    set(device, DEVICE_KEY, "d1");
    set(device, DEVICE_HOSTNAME, "127.0.0.1");
    set(device, DEVICE_ADDRESS, "127.0.0.1");
    struct event event = event_of(EVENT_DEVICE_REGISTERED, device);
    const struct json *json = NULL;
    feed_pub_body(&event, &out);
    cr_assert_eq(msgpack_to_json(&arena, out.data, out.size, &json), OK);
    cr_assert(text_is(json_find(json, "key")->text, "d1"));
    cr_assert(text_is(json_find(json, "hostname")->text, "127.0.0.1"));
    cr_assert_null(json_find(json, "address"));
}

Test(feed_pub, a_body_has_every_member_of_the_record)
{
    struct event event = event_of(EVENT_OBJECT_UPDATED, cube());
    const struct json *json = NULL;
    feed_pub_body(&event, &out);
    cr_assert_eq(msgpack_to_json(&arena, out.data, out.size, &json), OK);
    cr_assert(text_is(json_find(json, "name")->text, "cube"));
    cr_assert_eq(json_find(json, "transform")->items[11].number, -7);
    cr_assert_not_null(json_find(json, "asset_sub_id"));
    cr_assert_not_null(json_find(json, "actions"));
}

Test(feed_pub, the_body_of_a_record_that_is_packed_is_that_of_a_plain_one)
{
    struct record *device = record_new(&arena, &device_schema);
    set(device, DEVICE_KEY, "d1");
    set(device, DEVICE_HOSTNAME, "d1");
    struct event event = event_of(EVENT_DEVICE_REGISTERED, device);
    struct event packed = event;
    struct buffer body = {0};
    packed.record = packed_frozen(record_pack(&device_schema, device));
    feed_pub_body(&packed, &body);
    feed_pub_body(&event, &out);
    cr_assert_eq(body.size, out.size);
    cr_assert_arr_eq(body.data, out.data, out.size);
    buffer_finish(&body);
    record_unref(&packed.record);
}
