// golden_streams.c - golden frames of PUB, and golden texts of streams of events (golden.h).
#include <assert.h>
#include <string.h>

#include "gateway/events/delta_form.h"
#include "gateway/events/whole_form.h"
#include "proto/codec/record_msgpack.h"
#include "proto/feed/feed_pub.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "tests/golden/golden.h"

static const struct caller trusted = {.role = CALLER_TRUSTED};

// --- PUB ---

static void
put_frame(struct golden *self, const char *name, const struct buffer *frame)
{
    const struct json *tree;
    struct buffer text = {0};
    assert(msgpack_to_json(&self->arena, frame->data, frame->size, &tree) == OK);
    golden_put_tree(tree, &text);
    buffer_put_format(&self->json, ",\"%s\":", name);
    buffer_put(&self->json, text.data, text.size);
    golden_hex(self, frame);
    buffer_finish(&text);
}

static void
put_message(struct golden *self, const char *name, const struct buffer frames[3])
{
    golden_begin(self, name);
    golden_hex(self, &frames[0]);
    buffer_clear(&self->json);
    buffer_put_chars(&self->json, "{\"topic\":");
    json_put_text(&self->json, frames[0].data, frames[0].size);
    put_frame(self, "header", &frames[1]);
    put_frame(self, "body", &frames[2]);
    buffer_put_char(&self->json, '}');
    golden_end(self, &self->json);
}

static void
clear_frames(struct buffer frames[3])
{
    for (int i = 0; i < 3; i++)
        buffer_clear(&frames[i]);
}

static void
put_pub_event(struct golden *self, const char *name, const struct event *event,
              struct buffer frames[3])
{
    clear_frames(frames);
    feed_pub_topic(event, &frames[0]);
    feed_pub_header(event, GOLDEN_EPOCH, &frames[1]);
    feed_pub_body(event, &frames[2]);
    put_message(self, name, frames);
}

static void
put_heartbeats(struct golden *self, struct buffer frames[3])
{
    clear_frames(frames);
    buffer_put_chars(&frames[0], FEED_PUB_HEARTBEAT);
    feed_pub_heartbeat_header(GOLDEN_EPOCH, GOLDEN_TIME_US, &frames[1]);
    feed_pub_heartbeat_body(&frames[2]);
    put_message(self, "heartbeat", frames);
    buffer_clear(&frames[2]);
    feed_pub_key_body("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", &frames[2]);
    put_message(self, "heartbeat with the key that the server takes next", frames);
}

void
golden_make_pub(struct golden *self)
{
    struct buffer frames[3] = {0};
    for (unsigned i = 0; i < golden_entities_count; i++) {
        const struct event event = golden_event(self, &golden_entities[i], i);
        put_pub_event(self, golden_entities[i].name, &event, frames);
    }
    for (unsigned i = 0; i < golden_others_count; i++) {
        const struct event event = golden_event(self, &golden_others[i], i);
        put_pub_event(self, golden_others[i].name, &event, frames);
    }
    struct event odd = golden_event(self, &golden_entities[0], 0);
    odd.scene = golden_scene(self, "a.b%c d\t立");
    put_pub_event(self, "object in a scene whose key has dots and percents", &odd, frames);
    put_heartbeats(self, frames);
    for (int i = 0; i < 3; i++)
        buffer_finish(&frames[i]);
}

// --- server-sent events ---

// The calendar time of a snapshot is the only number that no caller chooses: here it is always the
// same.
static void
set_server_time(struct buffer *text)
{
    static const char name[] = "\"server_us\":";
    struct buffer set = {0};
    const char *at = memmem(text->data, text->size, name, sizeof name - 1);
    if (!at)
        return;
    at += sizeof name - 1;
    const char *end = at + strspn(at, "0123456789");
    buffer_put(&set, text->data, (size_t)(at - text->data));
    buffer_put_format(&set, "%d", GOLDEN_TIME_US);
    buffer_put(&set, end, (size_t)(text->data + text->size - end));
    buffer_finish(text);
    *text = set;
}

// A line of the stream: what it adds to the event that is being read. `end` is that of the line.
static void
take_line(const char *line, const char *end, const char *field, const char **value)
{
    size_t size = strlen(field);
    if ((size_t)(end - line) >= size && memcmp(line, field, size) == 0)
        *value = line + size;
}

static void
put_member(const char *name, const char *value, bool is_json, struct buffer *out)
{
    buffer_put_format(out, "\"%s\":", name);
    if (!value)
        buffer_put_chars(out, "null");
    else if (is_json)
        buffer_put(out, value, strcspn(value, "\n"));
    else
        json_put_text(out, value, strcspn(value, "\n"));
}

// The events of a text that ends with NUL: [{"event","id","data"}].
static void
put_events(const char *text, struct buffer *out)
{
    const char *event = NULL, *id = NULL, *data = NULL;
    bool is_first = true;
    buffer_put_chars(out, "{\"events\":[");
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n");
        take_line(line, end, "event: ", &event);
        take_line(line, end, "id: ", &id);
        take_line(line, end, "data: ", &data);
        if (line == end && data) {
            buffer_put_chars(out, is_first ? "{" : ",{");
            put_member("event", event, false, out);
            buffer_put_char(out, ',');
            put_member("id", id, false, out);
            buffer_put_char(out, ',');
            put_member("data", data, true, out);
            buffer_put_char(out, '}');
            is_first = false;
        }
        if (line == end)
            event = id = data = NULL;
        line = end + (*end == '\n');
    }
    buffer_put_chars(out, "]}");
}

// A line of what the sink holds, which is emptied.
static void
put_stream(struct golden *self, const char *name, struct stream_sink *sink)
{
    set_server_time(&sink->out);
    buffer_clear(&self->json);
    buffer_put_char(&sink->out, '\0');
    put_events(sink->out.data, &self->json);
    sink->out.size--;
    golden_begin(self, name);
    golden_hex(self, &sink->out);
    golden_end(self, &self->json);
    buffer_clear(&sink->out);
}

// The answer to a join: the first object and the first property of the samples, or nothing.
static struct message *
state_of(struct golden *self, bool is_empty)
{
    struct message *message = message_create(SCENE_WATCH);
    for (unsigned i = 0; i < golden_entities_count && !is_empty; i++)
        if (golden_entities[i].msg_type == EVENT_OBJECT_CREATED ||
            golden_entities[i].msg_type == EVENT_PROPERTY_CREATED) {
            const struct event event = golden_event(self, &golden_entities[i], i);
            reply_add(message, event.record);
        }
    return message;
}

static void
put_snapshot(struct golden *self, const char *name, const struct whole_form *form, bool is_empty,
             struct stream_sink *sink)
{
    struct stream_cursor cursor = {0};
    struct message *message = state_of(self, is_empty);
    assert(whole_form_write_snapshot(form, 0, &message->reply, &cursor, sink));
    put_stream(self, name, sink);
    message_destroy(&message);
}

static void
put_changes(struct golden *self, const struct golden_sample *samples, unsigned count,
            struct sse_place *place, struct stream_sink *sink)
{
    const struct whole_form form = {place, 1, NULL};
    for (unsigned i = 0; i < count; i++) {
        const struct event event = golden_event(self, &samples[i], i);
        place->seq = event.seq;
        if (event.msg_type == EVENT_LOCK_ASKED)
            sse_put_ask(&event, &sink->out);
        else
            whole_form_write_change(&form, &event, NULL, &trusted, sink);
        put_stream(self, samples[i].name, sink);
    }
}

// What stands between events, and more than one of them in a text.
static void
put_mixed(struct golden *self, struct sse_place *places, struct stream_sink *sink)
{
    const uint64_t prev = 1800;
    const struct whole_form form = {places, 1, NULL}, both = {places, 2, NULL};
    const struct event event = golden_event(self, &golden_entities[0], 0);
    places[0].seq = event.seq;
    sse_put_comment("resumed", &sink->out);
    whole_form_write_change(&form, &event, NULL, &trusted, sink);
    sse_put_comment("heartbeat", &sink->out);
    whole_form_write_change(&form, &event, &prev, &trusted, sink);
    put_stream(self, "resumed, a change, a heartbeat, a merged change", sink);
    whole_form_write_change(&both, &event, NULL, &trusted, sink);
    put_stream(self, "a change of one of two scenes", sink);
    sse_put_comment("behind", &sink->out);
    put_snapshot(self, "behind, a snapshot", &form, true, sink);
}

void
golden_make_sse(struct golden *self)
{
    struct stream_sink sink = {0};
    struct sse_place places[2] = {
        {text_from(&self->arena, "s1"), GOLDEN_EPOCH, GOLDEN_FIRST_SEQ},
        {text_from(&self->arena, "hall: 立"), GOLDEN_EPOCH, 7},
    };
    const struct whole_form form = {places, 1, NULL};
    put_snapshot(self, "snapshot", &form, false, &sink);
    put_snapshot(self, "empty snapshot", &form, true, &sink);
    put_changes(self, golden_entities, golden_entities_count, places, &sink);
    put_changes(self, golden_others, golden_others_count, places, &sink);
    put_mixed(self, places, &sink);
    buffer_finish(&sink.out);
}

// --- the delta form ---

static void
put_delta_snapshot(struct golden *self, const char *name, struct delta_form *form,
                   const struct sse_place *place, struct stream_sink *sink)
{
    static const char json[] = "{\"key\":\"d1\",\"transform\":{\"translation\":[1,2,3],"
                               "\"rotation\":[0,1.5,0]}}";
    struct stream_cursor cursor = {0};
    struct message *message = state_of(self, false);
    const struct record *device = frozen_record(golden_record(self, &device_schema, json));
    struct records *devices = arena_alloc(&self->arena, sizeof *devices + sizeof device);
    devices->count = 1;
    devices->items[0] = (struct record *)(uintptr_t)device;
    assert(delta_form_write_snapshot(form, place, &message->reply, devices, &cursor, sink));
    put_stream(self, name, sink);
    message_destroy(&message);
}

static void
put_delta(struct golden *self, const char *name, struct delta_form *form, struct event_batch *batch,
          struct stream_sink *sink)
{
    struct stream_cursor cursor = {0};
    uint64_t prev = batch->events[0].seq - 1;
    assert(delta_form_write_changes(form, batch, prev, &trusted, &cursor, sink));
    put_stream(self, name, sink);
    event_batch_clear(batch);
}

// Each sample as a tick of its own, then all of them as one.
static void
put_ticks(struct golden *self, struct delta_form *form, struct stream_sink *sink)
{
    struct event_batch batch = {0};
    for (unsigned i = 0; i < golden_entities_count; i++) {
        const struct event event = golden_event(self, &golden_entities[i], i);
        event_batch_take(&batch, &event);
        put_delta(self, golden_entities[i].name, form, &batch, sink);
    }
    for (unsigned i = 0; i < golden_others_count; i++) {
        const struct event event = golden_event(self, &golden_others[i], 100 + i);
        if (event.msg_type != EVENT_LOCK_ASKED)
            event_batch_take(&batch, &event);
    }
    put_delta(self, "scene, devices and locks in one tick", form, &batch, sink);
    event_batch_finish(&batch);
}

void
golden_make_delta(struct golden *self)
{
    struct stream_sink sink = {0};
    const struct sse_place place = {text_from(&self->arena, "s1"), GOLDEN_EPOCH, GOLDEN_FIRST_SEQ};
    struct delta_form form = {.wish.parts = DELTA_ALL};
    put_delta_snapshot(self, "snapshot", &form, &place, &sink);
    put_ticks(self, &form, &sink);
    delta_form_finish(&form);
    form = (struct delta_form){.wish = {.parts = DELTA_ALL, .is_exact = true}};
    put_delta_snapshot(self, "snapshot in full precision", &form, &place, &sink);
    const struct golden_sample turned = {"", EVENT_OBJECT_UPDATED, 0,
                                         "{\"key\":\"5b98880a270698496c36e392\",\"transform\":[0."
                                         "8660254037844387,-0.5,0,0.123456789,"
                                         "0.5,0.8660254037844387,0,1e-7,0,0,2,-7e300,0,0,0,1]}",
                                         NULL};
    const struct event event = golden_event(self, &turned, 0);
    struct event_batch batch = {0};
    event_batch_take(&batch, &event);
    put_delta(self, "pose in full precision", &form, &batch, &sink);
    event_batch_finish(&batch);
    delta_form_finish(&form);
    buffer_finish(&sink.out);
}
