// sse.h - frames server-sent events (WHATWG HTML, "Server-sent events"). Pure.
#ifndef DIORAMA_GATEWAY_EVENTS_SSE_H
#define DIORAMA_GATEWAY_EVENTS_SSE_H

#include "proto/base/buffer.h"
#include "proto/feed/event.h"

// The position of a stream in one scene: `seq` is that of the newest event that the client has.
struct sse_place {
    const struct text *scene; // its key
    uint64_t epoch, seq;      // epoch 0: nothing is known yet
};

// Reads the id of the last event that a client has into the places that it names. The others stay
// as they are; all do if it is no id of ours.
void sse_read_id(const char *id, struct sse_place *places, unsigned count);

// Begins an event called `name`, up to its data. Its id is `<epoch>-<seq>` of one scene; of several
// it is a list of `<key, percent-encoded>:<epoch>-<seq>`, separated by commas. sse_end ends the
// event.
void sse_begin(const char *name, const struct sse_place *places, unsigned count,
               struct buffer *out);
void sse_end(struct buffer *out);

// Writes a comment, which clients ignore: a heartbeat, or a note for people.
void sse_put_comment(const char *words, struct buffer *out);

// What the caller may see of a record in an event: of others' devices only key and transform, of a
// scene itself what is its own. Without fields: all.
struct view sse_view(const struct record *record, const struct caller *caller);

// Writes the data of a change as `caller` may see it (of others' devices only key and
// transform), on one line. `prev` is the seq that the client had before; NULL if it gets every
// event.
void sse_put_change(const struct event *event, const uint64_t *prev, const struct caller *caller,
                    struct buffer *out);

// Whether the caller hears the event at all: a question about a lock only its holder's user does.
bool sse_may_hear(const struct event *event, const struct caller *caller);
// Writes such a question, an event of its own: it is no change, and has no id.
void sse_put_ask(const struct event *event, struct buffer *out);

#endif
