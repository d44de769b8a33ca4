// stream_form.h - a form of streams that is no server-sent events: what it writes to its client,
// and what it takes from it. A stream owns its form and calls it from the thread of its loop alone.
// What a form writes at once is whole: a message never goes on in the next call.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_FORM_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_FORM_H

#include "gateway/events/stream_sink.h"
#include "proto/feed/event_batch.h"
#include "proto/record/record.h"

// What the actor of a scene is to be asked.
enum stream_wish {
    WISH_NOTHING,
    WISH_ACCESS,  // whether the caller may watch it
    WISH_JOIN,    // its state, and the events from there on
    WISH_DEVICES, // its devices, for the state in the delta form, in CZML (with its place), in
                  // others
    WISH_FILES,   // which of the files that its objects show are models, for CZML
    WISH_LINKS,   // the scenes around it, for another form
};

struct stream_form;

struct stream_form_operations {
    // Takes bytes of the client.
    void (*hear)(struct stream_form *self, const char *data, size_t size, uint64_t now_ms);

    // Writes the next thing that is no news of a scene; false if there is nothing.
    bool (*write_own)(struct stream_form *self, struct stream_sink *sink);

    // Whether it wants the state of a scene again (WISH_JOIN), its links (WISH_LINKS), or nothing.
    // Asked again it wants the next thing.
    enum stream_wish (*wish)(struct stream_form *self, unsigned scene);

    // Writes the state of a scene from the cursor on: `entities` is the reply of a join, `record`
    // the scene with its devices as the caller may see it, or NULL. False: the sink is full.
    bool (*write_state)(struct stream_form *self, unsigned scene, struct reply *entities,
                        const struct record *record, struct stream_cursor *cursor,
                        struct stream_sink *sink);

    // Writes the events of one tick from the cursor on. False: the sink is full.
    bool (*write_changes)(struct stream_form *self, unsigned scene, const struct event_batch *batch,
                          struct stream_cursor *cursor, struct stream_sink *sink);

    // Takes the graph of scenes around one (struct graph_record), borrowed.
    void (*take_links)(struct stream_form *self, unsigned scene, const struct record *graph);

    // Writes a sign of life, every STREAM_FORM_BEAT_MS.
    void (*beat)(struct stream_form *self, uint64_t now_ms, struct stream_sink *sink);

    // Ticks pass, for a second at least, while the client does not take what it was sent before.
    void (*note_slow)(struct stream_form *self, uint64_t now_ms);

    // Writes the last thing: that the stream ends, for this reason.
    void (*leave)(struct stream_form *self, const char *words, struct stream_sink *sink);

    // Whether the stream is to end, once what is written has left.
    bool (*is_over)(const struct stream_form *self);

    // Bytes that it holds.
    size_t (*size)(const struct stream_form *self);

    void (*destroy)(struct stream_form **self);
};

// The first member of a form.
struct stream_form {
    const struct stream_form_operations *operations;
};

enum {
    STREAM_FORM_BEAT_MS = 10 * 1000,
    STREAM_FORM_WISH_MS = 200, // between two rounds of wishes of a form: a client can cause them
    STREAM_FORM_LINKS = 8, // wishes of links in a round: others than the scene's actor work on them
};

#endif
