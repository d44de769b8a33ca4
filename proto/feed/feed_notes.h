// feed_notes.h - what a device is told beside changes, in the form of its feed: up to where it was
// sent everything (the *tail*), that what it asked for again is not sent (a *refusal*), and that
// somebody asks for a lock that it holds (an *ask*). Pure.
//
//   {"msg_type":65,"scene":"s1","epoch":3,"seq":1842}                    tail, plain
//   [1, epoch, seq, seq, 0, []]                                          tail, packed
//   {"msg_type":64,"scene":"s1","from":1800,"reason":"too_old"}          refusal, plain
//   [1, epoch, seq, seq, 0, [], [64, from, 0]]                           refusal, packed
//   {"msg_type":48,"scene":"s1","time_us":5,"ask":{"object":"k", …}}     ask, plain
//   [1, epoch, seq, seq, 0, [], [48, time_us, {"object": "k", …}]]       ask, packed
//
// A refusal that would be larger than the question lacks the scene. Reasons: 0 "too_old", read the
// scene by HTTP; 1 "busy", ask again later.
#ifndef DIORAMA_PROTO_FEED_FEED_NOTES_H
#define DIORAMA_PROTO_FEED_FEED_NOTES_H

#include "proto/base/buffer.h"
#include "proto/base/text.h"
#include "proto/feed/destinations.h"
#include "proto/feed/event.h"

enum { NOTE_REFUSAL = 64, NOTE_TAIL = 65 };

enum feed_refusal { REFUSAL_TOO_OLD, REFUSAL_BUSY };

// Where a feed is.
struct feed_place {
    const struct text *scene; // its key; NULL: it is left out
    uint64_t epoch;
    uint64_t seq; // up to which everything was sent
};

// All write over `out`.
void feed_note_tail(enum feed_form form, const struct feed_place *place, struct buffer *out);
void feed_note_refusal(enum feed_form form, const struct feed_place *place, uint64_t from,
                       enum feed_refusal reason, struct buffer *out);
// `event` is EVENT_LOCK_ASKED. At most 1,000 bytes in the packed form.
void feed_note_ask(enum feed_form form, const struct feed_place *place, const struct event *event,
                   struct buffer *out);

#endif
