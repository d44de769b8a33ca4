// event_queues.h - the queues (proto/feed/event_queue.h) of event streams by scene. Used by the
// streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_EVENT_QUEUES_H
#define DIORAMA_ACTORS_STREAMER_EVENT_QUEUES_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

// Embedded; all zero is valid and empty.
struct event_queues {
    struct table scenes; // struct queued_scene by scene id
    size_t joined;       // queues since the last walk over all scenes
};

void event_queues_finish(struct event_queues *self);

// Pushes an event to the queues of its scene, or of its topic, which does not end (topic_id).
// EVENT_QUEUE_JOINED adds a queue instead. Releases the queues of a deleted scene and those whose
// worker has closed them. Returns whether the event was for queues alone.
bool event_queues_take(struct event_queues *self, const struct event *event);

// How many there are. Closed ones may still count.
size_t event_queues_count(const struct event_queues *self);

#endif
