// event_bell.h - wakes the one thread that serves many event queues: a single eventfd, and which of
// the queues have something. Any thread pulls a cord; the bell's own thread hushes it. Whoever
// holds a reference may ring.
#ifndef DIORAMA_PROTO_FEED_EVENT_BELL_H
#define DIORAMA_PROTO_FEED_EVENT_BELL_H

#include "proto/base/allowance.h"
#include "proto/base/error.h"

typedef struct event_bell event_bell_t;

// What hangs from a bell, embedded in its owner.
struct bell_cord {
    struct bell_cord *next; // of those that were pulled
};

// `memory` is what may wait in all queues of this bell, and of others that share it; it is borrowed
// until the queues are closed. Fails with ERR_UNAVAILABLE if the system has no descriptor left. One
// reference, yours.
fallible event_bell_create(struct allowance *memory, event_bell_t **ret_bell);
event_bell_t *event_bell_ref(event_bell_t *self);
// The last reference destroys it; no cord is pulled then. Accepts NULL.
void event_bell_unref(event_bell_t **self);

struct allowance *event_bell_memory(const event_bell_t *self);

// For a poll set: readable once it rings.
int event_bell_descriptor(const event_bell_t *self);

// Wakes the thread.
void event_bell_ring(event_bell_t *self);

// The same, for a cord that is not pulled yet.
void event_bell_pull(event_bell_t *self, struct bell_cord *cord);

// Makes the descriptor unreadable until the next ring. Returns the cords that were pulled, in their
// order; NULL = none. The bell's thread.
struct bell_cord *event_bell_hush(event_bell_t *self);

#endif
