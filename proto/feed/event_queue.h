// event_queue.h - events of one scene or several on their way from the streamer to one gateway
// worker, which writes them to a client (live-feed, "Server-sent events"). The streamer's thread
// pushes and never waits for the worker; what waits is bounded whatever the client does. Both hold
// it by references.
#ifndef DIORAMA_PROTO_FEED_EVENT_QUEUE_H
#define DIORAMA_PROTO_FEED_EVENT_QUEUE_H

#include "proto/feed/event.h"
#include "proto/feed/event_batch.h"

typedef struct event_queue event_queue_t;

enum {
    EVENT_QUEUE_EVENTS = 4096,   // of one scene that wait in order
    EVENT_QUEUE_BYTES = 4 << 20, // of their records; one event of any size may always wait
};

// For `scenes` scenes, which it calls 0, 1, … `merged`: of each entity only the newest state waits.
// Fails with ERR_UNAVAILABLE where the system has no descriptor left. One reference, yours.
fallible event_queue_create(unsigned scenes, bool merged, event_queue_t **ret_queue);
event_queue_t *event_queue_ref(event_queue_t *self);
// The last one destroys it. Accepts NULL.
void event_queue_unref(event_queue_t **self);

// --- the streamer ---

// The queue takes the events after `seq` from now on; what waited of that scene is gone.
void event_queue_attach(event_queue_t *self, unsigned scene, uint64_t seq);

// Takes an event with references of its own. Where it is not the one after the last, or too many
// wait, the scene falls *behind*: nothing of it waits any more or is taken until it is attached
// again.
void event_queue_push(event_queue_t *self, unsigned scene, const struct event *event);

// Whether the worker is gone: nobody will ever take anything.
bool event_queue_is_closed(event_queue_t *self);

// --- the worker ---

// Can be read from when something waits, or a scene fell behind; for a poll set.
int event_queue_descriptor(const event_queue_t *self);

// Quiets the descriptor until something more comes. Before what waits is taken.
void event_queue_hush(event_queue_t *self);

// Moves what waits of a scene into `batch`, which is empty, in the order of seq. False where the
// scene fell behind, said once.
bool event_queue_take(event_queue_t *self, unsigned scene, struct event_batch *batch);

// The worker goes; its reference stays.
void event_queue_close(event_queue_t *self);

// What a SCENE_WATCH message carries there and back (without it the message only asks whether the
// caller may watch the scene), and what an event EVENT_QUEUE_JOINED carries to the streamer.
struct watching {
    struct parcel base;
    event_queue_t *queue; // one reference
    unsigned scene;       // what the queue calls it
    // The last event that the client has; epoch 0 = none.
    uint64_t epoch, seq;
    // The answer: the events after that one (NULL = there are none), in place of a snapshot.
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
