// catch_up.h - the catch-up buffer of a lane: the events that it sent, for the devices that could
// not get them then. Such a device is over its budget or was admitted between two datagrams. The
// buffer has each entity once, in its newest state, in the order of seq. The *backlog* of a device
// is what stands after the seq up to which it has everything. All such devices of a lane share the
// buffer, so many cost no more memory than one. Pure; one thread.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_CATCH_UP_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_CATCH_UP_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

struct catch_up_item {
    struct event event; // record NULL: superseded
    uint64_t created;   // seq of the creation that the event replaced; 0 = none
};

// Embedded; all zero is valid and empty.
struct catch_up {
    struct catch_up_item *items;
    uint32_t count;
    uint32_t live; // of them, not superseded
    uint32_t capacity;
    size_t bytes;   // of entities that were deleted: nobody else has their records
    uint64_t floor; // nothing is known of what was sent up to this seq
    struct table index;
};

enum {
    CATCH_UP_EVENTS = 65536,   // of one lane; one more empties the buffer
    CATCH_UP_BYTES = 16 << 20, // the same of entities that were deleted
};

// Adds an event that was sent, with references of its own. Its seq is above those of all others.
void catch_up_take(struct catch_up *self, const struct event *event);

// Copies the first event after `seq` to `ret_event`, which borrows its records. False if there is
// none. If the device fell behind at `behind`, before the entity was created, the event says that
// the entity was created.
bool catch_up_after(const struct catch_up *self, uint64_t seq, uint64_t behind,
                    struct event *ret_event);

// Empties the buffer and frees its memory.
void catch_up_clear(struct catch_up *self);

#endif
