// sse.h - framing of server-sent events (live-feed; WHATWG HTML, "Server-sent events"). Pure.
#ifndef DIORAMA_GATEWAY_EVENTS_SSE_H
#define DIORAMA_GATEWAY_EVENTS_SSE_H

#include "proto/base/buffer.h"
#include "proto/feed/event.h"

// How far a stream is in one scene: `seq` is that of the newest event that the client knows.
struct sse_place {
    const struct text *scene; // its key
    uint64_t epoch, seq;      // epoch 0: nothing is known yet
};

// Reads the id of the last event that a client has into the places that it names. The others, and
// all where it is no id of ours, stay as they are.
void sse_read_id(const char *id, struct sse_place *places, unsigned count);

// Begins an event called `name` up to its data: its id is `<epoch>-<seq>` of the one scene; of
// several a list of `<key, percent-encoded>:<epoch>-<seq>`, commas between. sse_end ends it.
void sse_begin(const char *name, const struct sse_place *places, unsigned count,
               struct buffer *out);
void sse_end(struct buffer *out);

// What clients ignore: a sign of life, a word to who looks on.
void sse_put_comment(const char *words, struct buffer *out);

// The data of a change as `caller` may see it (decisions 8: of others' devices key and transform
// alone), on one line. `prev` is the seq that the client knew before; NULL where it gets every
// event and can count.
void sse_put_change(const struct event *event, const uint64_t *prev, const struct caller *caller,
                    struct buffer *out);

#endif
