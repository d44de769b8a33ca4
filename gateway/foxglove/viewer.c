// viewer.c - what a viewer is told of the server itself, and how it comes and goes (viewer.h).
// Source of the protocol: Foxglove's ws-protocol, "Foxglove WebSocket protocol v1".
#include "gateway/foxglove/viewer.h"

#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/codec/json_write.h"
#include "proto/message/metrics.h"

enum {
    COMPLAIN_MS = 10 * 1000, // between two warnings that the client is slow
    LOOK_BYTES = 32,         // of an object whose looks are known
    LEVEL_WARNING = 1,
};

// --- hearing ---

static void
hear_message(struct viewer *self, const struct websocket_message *message)
{
    switch (message->opcode) {
    case WEBSOCKET_TEXT:
        viewer_command(self, message->data, message->size);
        break;
    case WEBSOCKET_BINARY:
        viewer_tell(self, LEVEL_WARNING, "this server is only read: the message was ignored");
        break;
    case WEBSOCKET_PING: // the newest one is answered (5.5.3)
        memcpy(self->pong, message->data, message->size);
        self->pong_size = message->size;
        self->has_pong = true;
        break;
    case WEBSOCKET_CLOSE:
        self->closing = WEBSOCKET_NORMAL;
        break;
    default:
        break;
    }
}

static void
hear(struct stream_form *form, const char *data, size_t size, uint64_t now_ms)
{
    struct viewer *self = viewer_of(form);
    struct websocket_message message;
    self->heard_ms = now_ms;
    while (!self->closing && websocket_read(&self->reader, &data, &size, &message))
        hear_message(self, &message);
    if (!self->closing)
        self->closing = self->reader.broken;
}

// --- what is no news ---

static void
put_server(struct viewer *self, struct buffer *out)
{
    size_t begin = websocket_begin(out);
    buffer_put_char(out, '{');
    json_write_text(out, "op", "serverInfo");
    json_write_text(out, "name", "Diorama");
    json_write_begin(out, "capabilities", '[');
    json_write_end(out, ']');
    json_write_begin(out, "supportedEncodings", '[');
    json_write_end(out, ']');
    json_write_begin(out, "metadata", '{');
    json_write_end(out, '}');
    json_write_end(out, '}');
    websocket_end(out, begin, WEBSOCKET_TEXT);
    if (self->is_cut)
        viewer_tell(self, LEVEL_WARNING, "there are more scenes than these: name one in the path");
}

static void
put_scene(const struct viewer *self, unsigned scene, struct buffer *out)
{
    size_t begin = websocket_begin(out);
    buffer_put_chars(out, "{\"op\":\"advertise\",\"channels\":[");
    for (unsigned kind = 0; kind < CHANNELS_OF_SCENE; kind++)
        channel_put(channels_of_scene(&self->channels, scene, kind), self->scenes[scene].key, out);
    buffer_put_chars(out, "]}");
    websocket_end(out, begin, WEBSOCKET_TEXT);
}

// The status, and words for people behind it (RFC 6455, 5.5.1).
static void
put_close(const struct viewer *self, const char *words, struct buffer *out)
{
    char body[WEBSOCKET_CONTROL_BYTES] = {(char)(self->closing >> 8), (char)self->closing};
    size_t size = strnlen(words, sizeof body - 2);
    memcpy(body + 2, words, size);
    websocket_put(out, WEBSOCKET_CLOSE, body, 2 + size);
}

// The next scene whose links wait, or `count`.
static unsigned
find_linked(const struct viewer *self)
{
    unsigned scene = 0;
    while (scene < self->count && !self->scenes[scene].has_links)
        scene++;
    return scene;
}

static void
put_told(struct viewer *self, struct buffer *out)
{
    if (self->has_pong)
        websocket_put(out, WEBSOCKET_PONG, self->pong, self->pong_size);
    self->has_pong = false;
    buffer_put(out, self->told.data, self->told.size);
    buffer_rest(&self->told, 0);
}

static bool
write_own(struct stream_form *form, struct stream_sink *sink)
{
    struct viewer *self = viewer_of(form);
    unsigned linked;
    if (self->is_over)
        return false;
    if (self->closing) {
        put_close(self, "", &sink->out);
        self->is_over = true;
    } else if (self->advertised == 0) {
        put_server(self, &sink->out);
        self->advertised = 1;
    } else if (self->advertised <= self->count) {
        put_scene(self, self->advertised - 1, &sink->out);
        self->advertised++;
    } else if (self->has_pong || self->told.size) {
        put_told(self, &sink->out);
    } else if ((linked = find_linked(self)) < self->count) {
        viewer_write_links(self, linked, sink);
    } else {
        return false;
    }
    return true;
}

static enum stream_wish
wish(struct stream_form *form, unsigned scene)
{
    struct viewed_scene *viewed = &viewer_of(form)->scenes[scene];
    enum stream_wish wish = viewed->wants_state   ? WISH_JOIN
                            : viewed->wants_links ? WISH_LINKS
                                                  : WISH_NOTHING;
    if (viewed->wants_state)
        viewed->wants_state = false;
    else
        viewed->wants_links = false;
    return wish;
}

static void
beat(struct stream_form *form, uint64_t now_ms, struct stream_sink *sink)
{
    struct viewer *self = viewer_of(form);
    if (now_ms - self->heard_ms >= VIEWER_IDLE_MS && !self->closing)
        self->closing = WEBSOCKET_GOING_AWAY;
    if (self->closing)
        (void)write_own(form, sink);
    else
        websocket_put(&sink->out, WEBSOCKET_PING, NULL, 0);
}

static void
note_slow(struct stream_form *form, uint64_t now_ms)
{
    struct viewer *self = viewer_of(form);
    if (self->complained_ms && now_ms - self->complained_ms < COMPLAIN_MS)
        return;
    self->complained_ms = now_ms;
    counter_add(COUNT_FOXGLOVE_SLOW, 1);
    viewer_tell(self, LEVEL_WARNING,
                "this connection is slower than the scenes change: only newest states are told");
}

static void
leave(struct stream_form *form, const char *words, struct stream_sink *sink)
{
    struct viewer *self = viewer_of(form);
    if (self->is_over)
        return;
    self->closing = WEBSOCKET_TRY_AGAIN;
    put_close(self, words, &sink->out);
    self->is_over = true;
}

static bool
is_over(const struct stream_form *form)
{
    return ((const struct viewer *)(const void *)form)->is_over;
}

// --- life ---

static size_t
size_of(const struct stream_form *form)
{
    const struct viewer *self = (const struct viewer *)(const void *)form;
    size_t size = sizeof *self + self->told.capacity + self->reader.message.capacity +
                  self->count * sizeof *self->scenes + channels_size(&self->channels);
    for (unsigned i = 0; i < self->count; i++)
        size += self->scenes[i].looks.count * LOOK_BYTES +
                self->scenes[i].link_count * sizeof *self->scenes[i].links;
    return size;
}

static void
destroy(struct stream_form **form)
{
    struct viewer *self = viewer_of(*form);
    *form = NULL;
    for (unsigned i = 0; i < self->count; i++) {
        table_finish(&self->scenes[i].looks);
        viewer_drop_links(&self->scenes[i]);
    }
    free(self->scenes);
    channels_finish(&self->channels);
    websocket_finish(&self->reader);
    buffer_finish(&self->told);
    arena_finish(&self->arena);
    atomic_fetch_sub(self->viewers, 1);
    gauge_add(GAUGE_FOXGLOVE_VIEWERS, -1);
    free(self);
}

static const struct stream_form_operations operations = {
    .hear = hear,
    .write_own = write_own,
    .wish = wish,
    .write_state = viewer_write_state,
    .write_changes = viewer_write_changes,
    .take_links = viewer_take_links,
    .beat = beat,
    .note_slow = note_slow,
    .leave = leave,
    .is_over = is_over,
    .size = size_of,
    .destroy = destroy,
};

struct stream_form *
viewer_create(const struct viewer_plan *plan, uint64_t now_ms)
{
    struct viewer *self = memory_take_zeroed(sizeof *self);
    self->base.operations = &operations;
    self->count = plan->count;
    self->is_cut = plan->is_cut;
    self->heard_ms = now_ms;
    self->assets = text_from(&self->arena, plan->assets);
    self->scenes = memory_take_zeroed(plan->count * sizeof *self->scenes);
    for (unsigned i = 0; i < plan->count; i++)
        self->scenes[i].key = text_copy(&self->arena, plan->scenes[i]);
    channels_init(&self->channels, plan->count);
    self->viewers = plan->viewers;
    atomic_fetch_add(self->viewers, 1);
    gauge_add(GAUGE_FOXGLOVE_VIEWERS, 1);
    return &self->base;
}
