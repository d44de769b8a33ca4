// viewer.h - the form of a stream whose client speaks the WebSocket protocol of Foxglove: tells it
// which channels there are, takes its subscriptions, and writes what they are subscribed to. The
// thread of the stream's loop.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_VIEWER_H
#define DIORAMA_GATEWAY_FOXGLOVE_VIEWER_H

#include <stdatomic.h>

#include "gateway/events/stream_form.h"
#include "gateway/foxglove/channels.h"
#include "gateway/foxglove/websocket.h"
#include "proto/base/arena.h"

enum {
    VIEWER_IDLE_MS = 30 * 1000,   // without a sign of life of the client
    VIEWER_TOLD_BYTES = 32 << 10, // of complaints that wait; further ones are left out
};

struct viewer_plan {
    const struct text *const *scenes; // their keys, copied
    unsigned count;
    bool is_cut;               // there are more scenes than are followed
    const char *assets;        // what the URLs of models begin with, copied
    _Atomic unsigned *viewers; // counts this one until it is destroyed
};

struct stream_form *viewer_create(const struct viewer_plan *plan, uint64_t now_ms);

// --- inside ---

// A scene that is around one that is followed.
struct linked_scene {
    const struct text *key; // in the arena of the links
    double matrix[16];      // of its frame in that of the other one
};

struct viewed_scene {
    const struct text *key;
    bool wants_state, wants_links;
    bool has_links; // that are not written
    struct linked_scene *links;
    uint32_t link_count;
    struct arena links_arena;
    struct table looks; // of the objects whose entities the client has
};

struct viewer {
    struct stream_form base;
    struct websocket_reader reader;
    struct channels channels;
    struct arena arena;
    const struct text *assets;
    struct viewed_scene *scenes;
    unsigned count;
    unsigned advertised; // so many scenes; one more: the server itself
    bool is_cut;
    struct buffer told; // frames that wait
    char pong[WEBSOCKET_CONTROL_BYTES];
    size_t pong_size;
    bool has_pong;
    bool has_told_full;
    enum websocket_status closing;
    bool is_over; // and the close is written
    uint64_t heard_ms, complained_ms;
    _Atomic unsigned *viewers;
};

static inline struct viewer *
viewer_of(struct stream_form *form)
{
    return (struct viewer *)(void *)form;
}

// Frames (viewer_frames.c). Appends a status that the client shows to its user: 0 told, 1 a
// warning, 2 an error.
void viewer_tell(struct viewer *self, unsigned level, const char *words);
// Begins and ends a message on a channel that is subscribed to: 0x01, the subscription, the time.
size_t viewer_message_begin(const struct channel *channel, struct buffer *out);
void viewer_message_end(struct buffer *out, size_t begin);

// Takes a message of the client: subscriptions (viewer_commands.c).
void viewer_command(struct viewer *self, const char *data, size_t size);

// The two that write news (news_state.c, news_changes.c), as stream_form.h has them.
bool viewer_write_state(struct stream_form *form, unsigned scene, struct reply *entities,
                        const struct record *record, struct stream_cursor *cursor,
                        struct stream_sink *sink);
bool viewer_write_changes(struct stream_form *form, unsigned scene, const struct event_batch *batch,
                          struct stream_cursor *cursor, struct stream_sink *sink);

// Links between scenes (viewer_links.c).
void viewer_take_links(struct stream_form *form, unsigned scene, const struct record *graph);
void viewer_write_links(struct viewer *self, unsigned scene, struct stream_sink *sink);
void viewer_drop_links(struct viewed_scene *scene);

// What the client knows of the looks of objects (viewer_looks.c). `take` tells whether the entity
// of the object must be written; `drop` whether the client has one.
bool viewer_looks_take(struct viewed_scene *scene, const struct text *key, uint64_t looks);
bool viewer_looks_drop(struct viewed_scene *scene, const struct text *key);

#endif
