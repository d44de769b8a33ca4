// event_queue.h - events of one scene or several on their way from the streamer to one gateway
// worker, which writes them to a client. The streamer's thread pushes and never waits for the
// worker. The number of waiting events is bounded, whatever the client does. Both threads hold
// references.
#ifndef DIORAMA_PROTO_FEED_EVENT_QUEUE_H
#define DIORAMA_PROTO_FEED_EVENT_QUEUE_H

#include "proto/feed/event.h"
#include "proto/feed/event_batch.h"

typedef struct event_queue event_queue_t;

enum {
    EVENT_QUEUE_EVENTS = 4096,       // that wait in order, of one scene
    EVENT_QUEUE_BYTES = 4 << 20,     // of their records; one event may wait whatever its size
    EVENT_QUEUE_ALL_BYTES = 8 << 20, // the same of all scenes of a queue
};

// A queue for `scene_count` scenes, which it numbers from 0. If `merged`, only the newest state of
// each entity waits. Fails with ERR_UNAVAILABLE if the system has no descriptor left. One
// reference, yours.
fallible event_queue_create(unsigned scene_count, bool merged, event_queue_t **ret_queue);
event_queue_t *event_queue_ref(event_queue_t *self);
// The last reference destroys it. Accepts NULL.
void event_queue_unref(event_queue_t **self);

// --- the streamer ---

// From now on the queue takes the events after `seq`. What waited of that scene is removed.
void event_queue_attach(event_queue_t *self, unsigned scene, uint64_t seq);

// Takes an event, with references of its own. If it is not the one after the last, or if too many
// wait, the scene falls *behind*: its events are removed and no more are taken until it is attached
// again.
void event_queue_push(event_queue_t *self, unsigned scene, const struct event *event);

// Whether the worker has closed the queue: nobody takes anything any more.
bool event_queue_is_closed(event_queue_t *self);

// --- the worker ---

// For a poll set: readable if something waits or a scene fell behind.
int event_queue_descriptor(const event_queue_t *self);

// Makes the descriptor unreadable until something more comes. Call it before event_queue_take.
void event_queue_reset(event_queue_t *self);

// Moves the waiting events of a scene into `batch`, which is empty, in the order of seq. False,
// once, if the scene fell behind.
bool event_queue_take(event_queue_t *self, unsigned scene, struct event_batch *batch);

// The worker stops. Its reference stays.
void event_queue_close(event_queue_t *self);

// What a SCENE_WATCH message carries there and back (without it the message only asks whether the
// caller may watch the scene), and what an event EVENT_QUEUE_JOINED carries to the streamer.
struct watching {
    struct parcel base;
    event_queue_t *queue; // one reference
    unsigned scene;       // its number in the queue
    // The last event that the client has; epoch 0 = none.
    uint64_t epoch, seq;
    // The answer: the events after that one (NULL = there are none) instead of a snapshot.
    bool resumed;
    struct events *missed;
};

// Takes a reference of the queue.
struct watching *watching_create(event_queue_t *queue, unsigned scene);

static inline struct watching *
watching_of(struct message *message)
{
    return (struct watching *)(void *)message->parcel;
}

#endif
