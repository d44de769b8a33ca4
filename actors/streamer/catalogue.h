// catalogue.h - which scenes there are, which assets, and so on: each is a topic, and its stream
// has each record that is created, changed or deleted, in one order of all actors, numbered from 1
// at each start. The newest of these events are kept while somebody watches the topic, and five
// minutes longer, so that a client whose stream broke off goes on where it was: what nobody watches
// costs nothing. Used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_CATALOGUE_H
#define DIORAMA_ACTORS_STREAMER_CATALOGUE_H

#include "actors/streamer/event_queues.h"
#include "proto/feed/event_queue.h"
#include "proto/feed/topic.h"

enum {
    CATALOGUE_EVENTS = 4096,           // of a topic, that are kept at most
    CATALOGUE_BYTES = 4 << 20,         // of their records
    CATALOGUE_KEPT_MS = 5 * 60 * 1000, // after the last word of a stream; each sends one a minute
};

// What is kept of one topic.
struct topic_events {
    uint64_t seq;         // of the newest event
    struct event *events; // a ring of CATALOGUE_EVENTS; NULL until the first
    uint32_t first, count;
    size_t bytes;      // of the records in it
    uint64_t heard_ms; // of clock.h: the last word of a stream that watches it; 0: there was none
};

// Embedded; all zero is valid and empty.
struct catalogue {
    struct topic_events topics[TOPIC_COUNT];
};

void catalogue_finish(struct catalogue *self);

// A stream of the topic has said that it is there: it joins, or says so later.
void catalogue_hear(struct catalogue *self, const struct topic *topic, uint64_t now_ms);

// Takes an event. One of a topic gets the topic's next number, is kept, and goes to the queues that
// have joined; others are left alone. Where it says that events before it were lost, none is kept,
// and the queues fall behind.
void catalogue_take(struct catalogue *self, const struct event *event, uint64_t now_ms,
                    struct event_queues *queues);

// The queue gets what happens from now on. Tells what it missed since `watching->seq`, where that
// is of this `epoch` and kept; else it is not resumed. Returns the number of the topic's newest
// event.
uint64_t catalogue_join(struct catalogue *self, const struct topic *topic, uint64_t epoch,
                        struct watching *watching, struct event_queues *queues);

#endif
