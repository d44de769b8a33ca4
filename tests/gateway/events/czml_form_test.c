// czml_form_test.c - a stream as CZML: its state, its changes, and the files that it asks about.
#include "gateway/events/czml_form.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/records/asset.h"
#include "proto/records/device.h"
#include "proto/records/ids.h"
#include "proto/records/object.h"
#include "proto/records/relation.h"

static struct arena arena;
static struct stream_sink sink;
static struct czml_form form;
static struct sse_place place;
static struct scene *hall;

static void
begin(void)
{
    sink = (struct stream_sink){0};
    form = (struct czml_form){.is_placed = false};
    hall = (struct scene *)(void *)record_new(&arena, &scene_schema);
    hall->base.present =
        FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE) | FIELD_BIT(SCENE_HEADING);
    record_set_text(&hall->base, SCENE_KEY, text_from(&arena, "hall"));
    place = (struct sse_place){hall->key, 7, 12};
    cr_assert(czml_form_place(&form, hall));
}

static void
end(void)
{
    czml_form_finish(&form);
    buffer_finish(&sink.out);
    arena_finish(&arena);
}

TestSuite(czml_form, .init = begin, .fini = end);

static struct record *
object(const char *key, const char *asset)
{
    struct object *self = (struct object *)(void *)record_new(&arena, &object_schema);
    record_set_text(&self->base, OBJECT_KEY, text_from(&arena, key));
    if (asset) {
        self->assets = texts_of_one(&arena, text_from(&arena, asset));
        record_mark(&self->base, OBJECT_ASSETS);
    }
    return &self->base;
}

static void
happen(uint8_t msg_type, const struct record *record)
{
    struct event event = {.msg_type = msg_type, .record = record_freeze(record->schema, record)};
    czml_form_write_change(&form, &place, &event, &sink);
    record_unref(&event.record);
}

static void
expect(const char *wanted)
{
    buffer_put_char(&sink.out, '\0');
    cr_expect_str_eq(sink.out.data, wanted);
    buffer_clear(&sink.out);
}

Test(czml_form, tells_the_end_of_things_and_of_the_scene)
{
    happen(EVENT_OBJECT_DELETED, object("o1", NULL));
    expect("event: czml\nid: 7-12\ndata: [{\"id\":\"o1\",\"delete\":true}]\n\n");
    happen(EVENT_SCENE_DELETED, &hall->base);
    expect(
        "event: czml\nid: 7-12\ndata: [{\"id\":\"document\",\"name\":\"hall\",\"version\":\"1.0\"}]"
        "\n\n");
}

Test(czml_form, tells_nothing_of_locks_actions_and_scenes)
{
    static const uint8_t silent[] = {EVENT_LOCK_GRANTED, EVENT_LOCK_RELEASED,
                                     EVENT_OBJECT_ACTION_CREATED};
    for (size_t i = 0; i < sizeof silent; i++)
        happen(silent[i], object("o1", NULL));
    happen(EVENT_SCENE_UPDATED, &hall->base);
    struct record *links = record_new(&arena, &alignment_change_schema);
    happen(EVENT_ALIGNMENT_CHANGED, links);
    cr_expect_eq(0, sink.out.size);
}

Test(czml_form, tells_of_devices_that_come_move_and_go)
{
    struct device *device = (struct device *)(void *)record_new(&arena, &device_schema);
    struct alignment_change *change =
        (struct alignment_change *)(void *)record_new(&arena, &alignment_change_schema);
    struct record *pose = record_new(&arena, &pose_schema);
    pose->present = FIELD_BIT(POSE_TRANSLATION) | FIELD_BIT(POSE_ROTATION);
    record_set_text(&device->base, DEVICE_KEY, text_from(&arena, "d"));
    device->rare->transform = pose;
    record_mark(&device->base, DEVICE_TRANSFORM);
    record_set_text(&change->base, ALIGNMENT_CHANGE_DEVICE, text_from(&arena, "d"));
    change->transform = pose;
    record_mark(&change->base, ALIGNMENT_CHANGE_TRANSFORM);
#define POINT                                                                                      \
    "event: czml\nid: 7-12\ndata: "                                                                \
    "[{\"id\":\"device:d\",\"name\":\"d\",\"position\":{\"cartesian\":["                           \
    "6378137.0,0.0,0.0]},\"point\":{\"pixelSize\":8}}]\n\n"
    happen(EVENT_DEVICE_REGISTERED, &device->base);
    expect(POINT);
    happen(EVENT_ALIGNMENT_CHANGED, &change->base);
    expect(POINT);
    happen(EVENT_DEVICE_DEREGISTERED, &device->base);
    expect("event: czml\nid: 7-12\ndata: [{\"id\":\"device:d\",\"delete\":true}]\n\n");
}

Test(czml_form, asks_for_each_file_once_and_shows_those_that_are_models)
{
    cr_assert(czml_form_note(&form, object("o1", "a1")));
    cr_assert(czml_form_note(&form, object("o2", "a1")));
    cr_assert(czml_form_note(&form, object("o3", "a2")));
    cr_assert(czml_form_note(&form, object("o4", NULL)));
    cr_assert(czml_form_note(&form, &hall->base));
    struct message *question = czml_form_question(&form);
    cr_assert_eq(ASSET_BULK, question->operation);
    cr_expect_eq(2, ((const struct ids *)(const void *)question->records->items[0])->ids->count);
    cr_expect_not(czml_form_wonders(&form));
    cr_expect_null(czml_form_question(&form));
    struct record *asset = record_new(&arena, &asset_schema);
    record_set_text(asset, ASSET_KEY, text_from(&arena, "a1"));
    record_set_text(asset, ASSET_CONTENT_TYPE, text_from(&arena, "model/gltf+json"));
    reply_add_loose(question, &asset_schema, asset);
    czml_form_learn(&form, &question->reply);
    message_destroy(&question);
    struct object *seen = (struct object *)(void *)object("o1", "a1");
    for (int i = 0; i < 16; i += 5)
        seen->transform[i] = 1;
    record_mark(&seen->base, OBJECT_TRANSFORM);
    happen(EVENT_OBJECT_UPDATED, &seen->base);
    buffer_put_char(&sink.out, '\0');
    cr_expect_not_null(strstr(sink.out.data, "\"gltf\":\"../../asset/a1/model.gltf\""));
}

Test(czml_form, keeps_no_more_files_than_its_limit)
{
    char key[16];
    for (int i = 0; i < CZML_FILES_MOST; i++) {
        snprintf(key, sizeof key, "a%d", i);
        cr_assert(czml_form_note(&form, object("o", key)));
    }
    cr_expect_not(czml_form_note(&form, object("o", "one more")));
    cr_expect(czml_form_note(&form, object("o", "a7")));
    uint32_t asked = 0;
    struct message *question;
    while ((question = czml_form_question(&form)) != NULL) {
        asked += ((const struct ids *)(const void *)question->records->items[0])->ids->count;
        message_destroy(&question);
    }
    cr_expect_eq(CZML_FILES_MOST, asked);
}

static bool
stays(double latitude, double heading_deg)
{
    struct scene *scene = (struct scene *)(void *)record_copy(&arena, &scene_schema, &hall->base);
    scene->latitude = latitude;
    scene->heading_deg = heading_deg;
    const frozen_t *frozen = record_freeze(&scene_schema, &scene->base);
    const struct event event = {.msg_type = EVENT_SCENE_UPDATED, .record = frozen};
    bool is_same = czml_form_stays(&form, &event, 1);
    record_unref(&frozen);
    return is_same;
}

Test(czml_form, hears_that_the_scene_is_elsewhere)
{
    cr_expect(stays(0, 0));
    cr_expect_not(stays(1, 0));
    cr_expect_not(stays(0, 90));
    hall->base.present &= ~FIELD_BIT(SCENE_LATITUDE);
    cr_expect_not(stays(0, 0));
    cr_expect_not(czml_form_place(&form, hall));
}

Test(czml_form, state_stops_where_the_sink_is_full_and_goes_on_there)
{
    struct message *message = message_create(SCENE_WATCH);
    struct stream_cursor cursor = {0};
    struct buffer joined = {0};
    unsigned writes = 0, objects = 0;
    for (int i = 0; i < 4000; i++)
        reply_add_loose(message, &object_schema, object("o1", NULL));
    bool is_whole = false;
    for (; !is_whole && writes < 100; writes++) {
        is_whole = czml_form_write_snapshot(&form, &place, &message->reply, hall, &cursor, &sink);
        cr_expect_lt(sink.out.size, STREAM_WRITE_BYTES + 1024);
        buffer_put(&joined, sink.out.data, sink.out.size);
        buffer_clear(&sink.out);
    }
    cr_expect_gt(writes, 2U);
    buffer_put_char(&joined, '\0');
    for (const char *at = joined.data; (at = strstr(at, "{\"id\":\"o1\"")); at++)
        objects++;
    cr_expect_eq(4000U, objects);
    cr_expect_eq(0, strncmp(joined.data, "event: czml\nid: 7-12\ndata: [{\"id\":\"document\"", 44));
    message_destroy(&message);
    buffer_finish(&joined);
}
