// event_batch.h - events that wait for one listener or many to be sent together, in order, or
// merged: then each thing stands once, in its newest state (live-feed: newest wins). Pure; one
// thread.
#ifndef DIORAMA_PROTO_FEED_EVENT_BATCH_H
#define DIORAMA_PROTO_FEED_EVENT_BATCH_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

// Embedded; all zero is a valid empty round.
struct round {
    struct event *events;
    uint32_t count;
    uint32_t capacity;
    bool merged;
    struct table index; // of a merged round: key of a thing -> place + 1
};

enum {
    ROUND_EVENTS = 65536, // of one merged round; what comes beyond that is dropped
};

enum round_outcome {
    ROUND_ADDED,
    ROUND_SUPERSEDED, // what waited for the same thing is gone
    ROUND_DROPPED,    // a merged round is full
};

// Takes an event, with references of its own. In a merged round the newest state of a thing
// replaces the one that waits: an update over a waiting create stays a create; a delete wins over
// both and is sent even where the create never was, as a listener may have read the thing
// elsewhere. Events of actions merge with one another only. What is no event of a thing (scenes,
// devices, locks) is never merged.
enum round_outcome round_take(struct round *self, const struct event *event);

// Merges what was taken in order so far, and whatever comes from now on. Returns how many events
// were superseded by that.
uint32_t round_begin_merging(struct round *self);

// Puts a merged round in the order of seq; nothing may be taken into it afterwards.
void round_sort(struct round *self);

// Empties it: not merged any more, the memory is kept where it is little.
void round_clear(struct round *self);
void round_finish(struct round *self);

#endif
