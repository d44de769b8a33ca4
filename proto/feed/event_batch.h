// event_batch.h - events that wait to be sent together to one listener or to many. They wait in
// order, or merged: then each entity has one event with its newest state.
// Pure; one thread.
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
    size_t bytes;       // of the records, without newest states: those are in the scene too
    struct table index; // of a merged batch: key of an entity -> place + 1
};

enum {
    BATCH_EVENTS = 65536, // of one merged batch; further events are dropped
};

enum event_batch_outcome {
    BATCH_ADDED,
    BATCH_SUPERSEDED, // the event that waited for the same entity was replaced
    BATCH_DROPPED,    // the merged batch is full
};

// Takes an event, with references of its own. In a merged batch the newest state of an entity
// replaces the one that waits: an update that replaces a create becomes a create; a delete replaces
// both. It is sent even if the create never was, since a listener may know the entity from
// elsewhere. Events of actions merge only with one another. Events of scenes, devices and locks are
// never merged.
enum event_batch_outcome event_batch_take(struct event_batch *self, const struct event *event);

// Merges the events that were taken in order so far, and all that are taken from now on. Returns
// how many events were superseded.
uint32_t event_batch_begin_merging(struct event_batch *self);

// Sorts a merged batch by seq. Nothing may be taken into it afterwards.
void event_batch_sort(struct event_batch *self);

// Empties it; it is not merged any more. A small array is kept for the next use.
void event_batch_clear(struct event_batch *self);
// The same, but an array for more than `most` events is freed: for batches of which there are many.
void event_batch_rest(struct event_batch *self, uint32_t most);
void event_batch_finish(struct event_batch *self);

#endif
