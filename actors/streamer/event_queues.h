// event_queues.h - which taps (proto/tap.h) get the events of which scene. The streamer's thread
// alone.
#ifndef DIORAMA_ACTORS_STREAMER_EVENT_QUEUES_H
#define DIORAMA_ACTORS_STREAMER_EVENT_QUEUES_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

// Embedded; all zero is a valid empty one.
struct taps {
    struct table scenes; // struct tapped by scene id
    size_t joined;       // since the last look at all of them
};

void taps_finish(struct taps *self);

// Takes an event: gives it to the taps of its scene, lets a new tap join at EVENT_TAPPED, lets all
// of a deleted scene go, and those whose worker is gone. True where it was for the taps alone.
bool taps_take(struct taps *self, const struct event *event);

// How many there are; those whose worker is gone may still count.
size_t taps_count(const struct taps *self);

#endif
