// record_events.h - what an actor tells the catalogue of its records once their changes are
// durable. One message is with the streamer at a time and comes back, so that what waits there is
// bounded; so is what waits here. Where that is full, all of it is dropped, and the topics are told
// that they have lost something. Used by the actor's thread alone.
#ifndef DIORAMA_ACTORS_REPOSITORY_RECORD_EVENTS_H
#define DIORAMA_ACTORS_REPOSITORY_RECORD_EVENTS_H

#include "proto/feed/topic.h"
#include "proto/message/mailbox.h"

enum {
    RECORD_EVENTS_MOST = 4096,     // that wait
    RECORD_EVENTS_BYTES = 4 << 20, // of their records; one may wait whatever its size
    RECORD_EVENTS_A_MESSAGE = 64,
};

// Embedded; all zero is valid and empty.
struct record_events {
    struct events *waiting;
    size_t bytes;      // of their records
    unsigned lost;     // a bit for each topic of which events were dropped
    bool is_under_way; // a message is with the streamer
};

void record_events_finish(struct record_events *self);

// A change of a record of the topic is durable; `before` is NULL for a new record, `after` for one
// that is gone.
void record_events_add(struct record_events *self, const struct topic *topic,
                       const frozen_t *before, const frozen_t *after);

// Sends what waits, unless a message is under way: CATALOGUE_TELL. At the end of each turn.
void record_events_turn(struct record_events *self, mailbox_t *mailbox);

// The message came back: the next one may go.
void record_events_told(struct record_events *self);

#endif
