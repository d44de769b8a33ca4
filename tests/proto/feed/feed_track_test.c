// feed_track_test.c - packets of OpenTrackIO: what they say, and which events they tell.
#include "proto/feed/feed_track.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/feed/opentrackio_header.h"
#include "proto/feed/opentrackio_sample.h"
#include "proto/records/object.h"
#include "tests/support/feed_writing.h"

TestSuite(feed_track, .init = feed_writing_begin, .fini = feed_writing_end);

#define KEY "0018880a270698496c36e392"

static const double quarter_turn[16] = {0, 0, 1, 5, 0, 1, 0, 6.25, -1, 0, 0, -7, 0, 0, 0, 1};
static const struct track_packet first = {.epoch = 3, .number = 9, .source = 7};

static struct event
event_of(uint8_t msg_type, const char *key, const double transform[16])
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    set(&object->base, OBJECT_KEY, key);
    memcpy(object->transform, transform, sizeof object->transform);
    record_mark(&object->base, OBJECT_TRANSFORM);
    return (struct event){.seq = 1842,
                          .time_us = 1718806554500001,
                          .scene = keep(scene_called("s1")),
                          .record = keep(&object->base),
                          .msg_type = msg_type};
}

static const struct json *
written(const struct event *event, const struct track_packet *packet)
{
    const struct json *json;
    struct opentrackio_header header;
    feed_track_write(event, packet, &out);
    cr_assert_eq(opentrackio_header_read(out.data, out.size, &header), OPENTRACKIO_GOOD);
    cr_assert_eq(header.sequence, packet->number);
    cr_assert(header.is_last && header.offset == 0 && header.encoding == OPENTRACKIO_JSON);
    cr_assert_eq(json_parse(&arena, out.data + OPENTRACKIO_HEADER_BYTES, header.size, &json), OK);
    return json;
}

Test(feed_track, a_packet_has_these_bytes)
{
    struct event event = event_of(EVENT_OBJECT_UPDATED, KEY, quarter_turn);
    feed_track_write(&event, &first, &out);
    const char *sample = out.data + OPENTRACKIO_HEADER_BYTES;
    static const char behind_ids[] =
        "\"sourceNumber\":7,\"timing\":{\"mode\":\"internal\",\"sampleTimestamp\":{\"seconds\":"
        "1718806554,\"nanoseconds\":500001000}},\"transforms\":[{\"translation\":{\"x\":5.0,\"y\":"
        "7.0,\"z\":6.25},\"rotation\":{\"pan\":90.0,\"tilt\":0.0,\"roll\":0.0},\"id\":\"Camera\"}]"
        "}";
    cr_assert_eq(
        strncmp(sample, "{\"protocol\":{\"name\":\"OpenTrackIO\",\"version\":[1,0,1]},", 52), 0);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(strstr(out.data + OPENTRACKIO_HEADER_BYTES, "\"sourceNumber\""), behind_ids);
}

Test(feed_track, the_intake_reads_the_matrix_that_was_sent)
{
    struct event event = event_of(EVENT_OBJECT_UPDATED, KEY, quarter_turn);
    struct opentrackio_sample sample;
    cr_assert_eq(opentrackio_sample_read(written(&event, &first), &sample), SAMPLE_GOOD);
    for (int i = 0; i < 16; i++)
        cr_expect_float_eq(sample.matrix[i], quarter_turn[i], 1e-12, "element %d", i);
    cr_expect_eq(sample.timestamp, INT64_C(1718806554500001));
}

static const struct text *
id_of(const struct json *json, const char *name)
{
    return json_find(json, name)->text;
}

Test(feed_track, a_repeat_has_the_same_ids_and_another_state_another_sample)
{
    struct event event = event_of(EVENT_OBJECT_UPDATED, KEY, quarter_turn);
    const struct track_packet next = {.epoch = 3, .number = 10, .source = 7};
    const struct json *once = written(&event, &first), *again = written(&event, &next);
    event.seq++;
    const struct json *later = written(&event, &next);
    cr_expect(text_equal(id_of(once, "sampleId"), id_of(again, "sampleId")));
    cr_expect(text_equal(id_of(once, "sourceId"), id_of(later, "sourceId")));
    cr_expect(!text_equal(id_of(once, "sampleId"), id_of(later, "sampleId")));
    cr_expect_eq(text_size(id_of(once, "sampleId")), 45);
    cr_expect_eq(text_chars(id_of(once, "sourceId"))[23], '8', "a UUID of version 8");
}

Test(feed_track, a_scale_is_told)
{
    const double scaled[16] = {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1};
    struct event event = event_of(EVENT_OBJECT_UPDATED, KEY, scaled);
    const struct json *json = written(&event, &first);
    const struct json *scale = json_find(&json_find(json, "transforms")->items[0], "scale");
    cr_assert_not_null(scale);
    cr_expect_eq(json_find(scale, "x")->number, 2);
    cr_expect_eq(json_find(scale, "y")->number, 4, "forward");
    cr_expect_eq(json_find(scale, "z")->number, 3, "up");
}

Test(feed_track, changes_of_the_object_that_have_a_pose_are_told)
{
    const double sheared[16] = {1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    struct event created = event_of(EVENT_OBJECT_CREATED, KEY, quarter_turn),
                 updated = event_of(EVENT_OBJECT_UPDATED, KEY, quarter_turn),
                 deleted = event_of(EVENT_OBJECT_DELETED, KEY, quarter_turn),
                 of_action = event_of(EVENT_OBJECT_ACTION_UPDATED, KEY, quarter_turn),
                 property = event_of(EVENT_PROPERTY_UPDATED, KEY, quarter_turn),
                 skewed = event_of(EVENT_OBJECT_UPDATED, KEY, sheared),
                 other = event_of(EVENT_OBJECT_UPDATED, "0018880a270698496c36e393", quarter_turn);
    cr_expect(feed_track_tells(&created, KEY));
    cr_expect(feed_track_tells(&updated, KEY));
    cr_expect(!feed_track_tells(&deleted, KEY));
    cr_expect(!feed_track_tells(&of_action, KEY));
    cr_expect(!feed_track_tells(&property, KEY));
    cr_expect(!feed_track_tells(&skewed, KEY));
    cr_expect(!feed_track_tells(&other, KEY));
    cr_expect(!feed_track_tells(&updated, ""), "a lane without an object");
}
