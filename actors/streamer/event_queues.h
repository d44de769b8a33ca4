// event_queues.h - which queues (proto/queue.h) get the events of which scene. The streamer's
// thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_EVENT_QUEUES_H
#define DIORAMA_ACTORS_STREAMER_EVENT_QUEUES_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

// Embedded; all zero is a valid empty one.
struct event_queues {
    struct table scenes; // struct queued_scene by scene id
    size_t joined;       // since the last look at all of them
};

void event_queues_finish(struct event_queues *self);

// Takes an event: gives it to the queues of its scene, lets a new queue join at EVENT_QUEUE_JOINED,
// lets all of a deleted scene go, and those whose worker is gone. True where it was for the queues
// alone.
bool event_queues_take(struct event_queues *self, const struct event *event);

// How many there are; those whose worker is gone may still count.
size_t event_queues_count(const struct event_queues *self);

#endif
