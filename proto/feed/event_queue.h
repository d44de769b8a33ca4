// event_queue.h - events of one scene or several on their way from the streamer to the thread that
// writes them to a client, its *listener*. The streamer's thread pushes and never waits. What waits
// is bounded, for each scene and for all queues together, whatever clients do. Both threads hold
// references.
#ifndef DIORAMA_PROTO_FEED_EVENT_QUEUE_H
#define DIORAMA_PROTO_FEED_EVENT_QUEUE_H

#include "proto/feed/event.h"
#include "proto/feed/event_batch.h"
#include "proto/feed/event_bell.h"

typedef struct event_queue event_queue_t;

enum {
    EVENT_QUEUE_EVENTS = 4096,       // that wait in order, of one scene
    EVENT_QUEUE_BYTES = 4 << 20,     // of their records; one event may wait whatever its size
    EVENT_QUEUE_ALL_BYTES = 8 << 20, // the same of all scenes of a queue
};

// A queue for `scene_count` scenes, which it numbers from 0; it pulls a cord of `bell` when it has
// something. If `merged`, only the newest state of each entity waits. One reference, yours.
event_queue_t *event_queue_create(event_bell_t *bell, unsigned scene_count, bool merged);
event_queue_t *event_queue_ref(event_queue_t *self);
// The last reference destroys it. Accepts NULL.
void event_queue_unref(event_queue_t **self);

// --- the streamer ---

// From now on the queue takes the events after `seq`. What waited of that scene is removed.
void event_queue_attach(event_queue_t *self, unsigned scene, uint64_t seq);

// Takes an event, with references of its own. If it is not the one after the last, or if too many
// wait, here or in all queues, the scene falls *behind*: its events are removed and no more are
// taken until it is attached again.
void event_queue_push(event_queue_t *self, unsigned scene, const struct event *event);

// Whether its listener has left: nobody takes anything any more.
bool event_queue_is_closed(event_queue_t *self);

// --- the listener's thread ---

// From now on event_queue_answer tells this listener, until the queue is closed.
void event_queue_listen(event_queue_t *self, void *listener);

// Answers a cord that event_bell_hush gave: the next event pulls it again. Returns the listener;
// NULL if it has left, or nobody listens yet.
void *event_queue_answer(struct bell_cord *cord);

// Moves the waiting events of a scene into `batch`, which is empty, in the order of seq. False,
// once, if the scene fell behind.
bool event_queue_take(event_queue_t *self, unsigned scene, struct event_batch *batch);

// The listener leaves. Its reference stays.
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
