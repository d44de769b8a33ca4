// feed_track.c - the pose of an object as a packet of OpenTrackIO (feed_track.h).
#include "proto/feed/feed_track.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>

#include "proto/codec/json_text.h"
#include "proto/feed/opentrackio_header.h"
#include "proto/feed/opentrackio_pose.h"
#include "proto/records/object.h"

#define SCALE_TOLERANCE 1e-9 // what rounding leaves of a scale of 1

enum { UUID_BYTES = 16, SECOND_US = 1000000 };

bool
feed_track_tells(const struct event *event, const char *object)
{
    struct opentrackio_pose pose;
    bool is_change =
        event->msg_type == EVENT_OBJECT_CREATED || event->msg_type == EVENT_OBJECT_UPDATED;
    return is_change && *object && text_is(record_key(event_record(event)), object) &&
           opentrackio_pose_of(object_of(event_record(event))->transform, &pose);
}

// --- members ---

static void
put_uuid(struct buffer *out, const char *name, const unsigned char bytes[UUID_BYTES])
{
    buffer_put_format(out, "\"%s\":\"urn:uuid:", name);
    for (int i = 0; i < UUID_BYTES; i++)
        buffer_put_format(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                          bytes[i]);
    buffer_put_chars(out, "\",");
}

// A UUID of version 8 (RFC 9562) that follows from what is hashed.
static void
put_derived_uuid(struct buffer *out, const char *name, const struct text *key,
                 const uint64_t numbers[2])
{
    unsigned char bytes[UUID_BYTES];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof bytes);
    crypto_generichash_update(&state, (const unsigned char *)text_bytes(key), text_size(key));
    crypto_generichash_update(&state, (const unsigned char *)numbers, 2 * sizeof *numbers);
    crypto_generichash_final(&state, bytes, sizeof bytes);
    bytes[6] = (unsigned char)(0x80 | (bytes[6] & 0x0f));
    bytes[8] = (unsigned char)(0x80 | (bytes[8] & 0x3f));
    put_uuid(out, name, bytes);
}

static void
put_numbers(struct buffer *out, const char *name, const char *const names[3],
            const double numbers[3])
{
    buffer_put_format(out, "\"%s\":{", name);
    for (int i = 0; i < 3; i++) {
        buffer_put_format(out, "%s\"%s\":", i ? "," : "", names[i]);
        json_put_number(out, numbers[i]);
    }
    buffer_put_chars(out, "},");
}

static bool
is_scaled(const double scale[3])
{
    bool is_scaled = false;
    for (int i = 0; i < 3; i++)
        is_scaled |= fabs(scale[i] - 1) > SCALE_TOLERANCE;
    return is_scaled;
}

static void
put_transform(struct buffer *out, const struct object *object)
{
    static const char *const axes[3] = {"x", "y", "z"};
    static const char *const angles[3] = {"pan", "tilt", "roll"};
    struct opentrackio_pose pose = {.scale = {1, 1, 1}};
    if (!opentrackio_pose_of(object->transform, &pose))
        return; // feed_track_tells said that it has one
    buffer_put_chars(out, "\"transforms\":[{");
    put_numbers(out, "translation", axes, pose.translation);
    put_numbers(out, "rotation", angles, pose.rotation);
    if (is_scaled(pose.scale))
        put_numbers(out, "scale", axes, pose.scale);
    buffer_put_chars(out, "\"id\":\"Camera\"}]}");
}

static void
put_sample(struct buffer *out, const struct event *event, const struct track_packet *packet)
{
    const struct object *object = object_of(event_record(event));
    const uint64_t nothing[2] = {0}, state[2] = {packet->epoch, event->seq};
    buffer_put_chars(out, "{\"protocol\":{\"name\":\"OpenTrackIO\",\"version\":[1,0,1]},");
    put_derived_uuid(out, "sampleId", object->key, state);
    put_derived_uuid(out, "sourceId", object->key, nothing);
    buffer_put_format(out,
                      "\"sourceNumber\":%u,\"timing\":{\"mode\":\"internal\",\"sampleTimestamp\":{"
                      "\"seconds\":%" PRIu64 ",\"nanoseconds\":%" PRIu64 "}},",
                      (unsigned)packet->source, event->time_us / SECOND_US,
                      event->time_us % SECOND_US * 1000);
    put_transform(out, object);
}

void
feed_track_write(const struct event *event, const struct track_packet *packet, struct buffer *out)
{
    static const char room[OPENTRACKIO_HEADER_BYTES];
    buffer_clear(out);
    buffer_put(out, room, sizeof room);
    put_sample(out, event, packet);
    const struct opentrackio_header header = {
        .encoding = OPENTRACKIO_JSON,
        .sequence = packet->number,
        .size = (uint16_t)(out->size - OPENTRACKIO_HEADER_BYTES),
        .is_last = true,
    };
    opentrackio_header_write(&header, out->data);
}
