// catch_up.h - what a lane has sent, kept for the devices that could not be sent it then: over
// their budget, or admitted between two datagrams (live-feed, "Who may be sent to"). Each thing
// stands once, in its newest state, in the order of seq; a device that has everything up to some
// seq is owed what stands after it. Shared by all such devices of a lane, so many of them cost no
// more memory than one. Pure; one thread.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_CATCH_UP_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_CATCH_UP_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

struct arrears_item {
    struct event event; // record NULL: superseded
    uint64_t created;   // seq of the creation that the event stands for too; 0 = none
};

// Embedded; all zero is valid and empty.
struct arrears {
    struct arrears_item *items;
    uint32_t count;
    uint32_t live; // of them, not superseded
    uint32_t capacity;
    uint64_t floor; // what was sent up to here is not known any more
    struct table index;
};

enum {
    ARREARS_EVENTS = 65536, // of one lane; beyond that all of it is forgotten
};

// Takes an event that was sent, with references of its own; its seq is above that of all others.
void arrears_take(struct arrears *self, const struct event *event);

// Takes events that were sent before, in order, each thing once; those that stand here already are
// passed over.
void arrears_take_older(struct arrears *self, const struct event *events, uint32_t count);

// The first event after `seq`, copied (borrowing its records) to `ret_event`; false where nothing
// more is owed. Who is behind since `behind`, and so missed that a thing was created, hears of
// that.
bool arrears_after(const struct arrears *self, uint64_t seq, uint64_t behind,
                   struct event *ret_event);

// Forgets everything that is owed; the memory is given back.
void arrears_clear(struct arrears *self);

#endif
