// catch_up.h - what a lane has sent, kept for the devices that could not be sent it then: over
// their budget, or admitted between two datagrams (live-feed, "Who may be sent to"). Each entity
// stands once, in its newest state, in the order of seq; a device that has everything up to some
// seq is backlog what stands after it. Shared by all such devices of a lane, so many of them cost
// no more memory than one. Pure; one thread.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_CATCH_UP_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_CATCH_UP_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

struct catch_up_item {
    struct event event; // record NULL: superseded
    uint64_t created;   // seq of the creation that the event stands for too; 0 = none
};

// Embedded; all zero is valid and empty.
struct catch_up {
    struct catch_up_item *items;
    uint32_t count;
    uint32_t live; // of them, not superseded
    uint32_t capacity;
    uint64_t floor; // what was sent up to here is not known any more
    struct table index;
};

enum {
    CATCH_UP_EVENTS = 65536, // of one lane; beyond that all of it is forgotten
};

// Takes an event that was sent, with references of its own; its seq is above that of all others.
void catch_up_take(struct catch_up *self, const struct event *event);

// Takes events that were sent before, in order, each entity once; those that stand here already are
// passed over.
void catch_up_take_older(struct catch_up *self, const struct event *events, uint32_t count);

// The first event after `seq`, copied (borrowing its records) to `ret_event`; false where nothing
// more is backlog. Who is behind since `behind`, and so missed that an entity was created, hears of
// that.
bool catch_up_after(const struct catch_up *self, uint64_t seq, uint64_t behind,
                    struct event *ret_event);

// Forgets everything that is backlog; the memory is given back.
void catch_up_clear(struct catch_up *self);

#endif
