// catalogue.h - which scenes there are, as a stream of its own: each scene that is created, changed
// or deleted, in one order of all scene actors, numbered from 1 at each start. The newest of these
// events are kept, so that a client whose stream broke off goes on where it was. Used by the
// streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_CATALOGUE_H
#define DIORAMA_ACTORS_STREAMER_CATALOGUE_H

#include "actors/streamer/event_queues.h"
#include "proto/feed/event_queue.h"

enum {
    CATALOGUE_EVENTS = 4096,     // that are kept at most
    CATALOGUE_BYTES = 4 << 20,   // of their records
    CATALOGUE_OF_ALL_SCENES = 0, // the id in the place of a scene's: no scene has it
};

// Embedded; all zero is valid and empty.
struct catalogue {
    uint64_t seq;         // of the newest event
    struct event *events; // a ring of CATALOGUE_EVENTS; NULL until the first
    uint32_t first, count;
    size_t bytes; // of the records in it
};

void catalogue_finish(struct catalogue *self);

// Takes an event of a scene. Those of its own record get the next number here, are kept, and go to
// the queues that have joined.
void catalogue_take(struct catalogue *self, const struct event *event, struct event_queues *queues);

// The queue gets what happens from now on. Tells what it missed since `watching->seq`, where that
// is of this `epoch` and kept; else it is not resumed.
void catalogue_join(struct catalogue *self, uint64_t epoch, struct watching *watching,
                    struct event_queues *queues);

#endif
