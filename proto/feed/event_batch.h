// event_batch.h - events that wait for one listener or many to be sent together, in order, or
// merged: then each entity stands once, in its newest state (live-feed: newest wins). Pure; one
// thread.
#ifndef DIORAMA_PROTO_FEED_EVENT_BATCH_H
#define DIORAMA_PROTO_FEED_EVENT_BATCH_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

// Embedded; all zero is a valid empty batch.
struct event_batch {
    struct event *events;
    uint32_t count;
    uint32_t capacity;
    bool merged;
    struct table index; // of a merged batch: key of an entity -> place + 1
};

enum {
    BATCH_EVENTS = 65536, // of one merged batch; what comes beyond that is dropped
};

enum event_batch_outcome {
    BATCH_ADDED,
    BATCH_SUPERSEDED, // what waited for the same entity is gone
    BATCH_DROPPED,    // a merged batch is full
};

// Takes an event, with references of its own. In a merged batch the newest state of an entity
// replaces the one that waits: an update over a waiting create stays a create; a delete wins over
// both and is sent even where the create never was, as a listener may have read the entity
// elsewhere. Events of actions merge with one another only. What is no event of an entity (scenes,
// devices, locks) is never merged.
enum event_batch_outcome event_batch_take(struct event_batch *self, const struct event *event);

// Merges what was taken in order so far, and whatever comes from now on. Returns how many events
// were superseded by that.
uint32_t event_batch_begin_merging(struct event_batch *self);

// Puts a merged batch in the order of seq; nothing may be taken into it afterwards.
void event_batch_sort(struct event_batch *self);

// Empties it: not merged any more, the memory is kept where it is little.
void event_batch_clear(struct event_batch *self);
void event_batch_finish(struct event_batch *self);

#endif
