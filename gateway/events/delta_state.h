// delta_state.h - what the client of a delta stream knows of a scene: each thing that it was shown,
// with the index that stands for it, and its newest state. Pure; one thread.
#ifndef DIORAMA_GATEWAY_EVENTS_DELTA_STATE_H
#define DIORAMA_GATEWAY_EVENTS_DELTA_STATE_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

enum delta_part { DELTA_OBJECTS = 1, DELTA_DEVICES = 2, DELTA_PROPERTIES = 4, DELTA_ALL = 7 };

// Embedded; all zero knows nothing.
struct delta_state {
    struct table things;
    uint32_t next_index; // an index is never used again
    size_t bytes;        // of the records that it keeps; the scene may have left memory since
};

// How an event is told to that client.
enum delta_change {
    DELTA_NOTHING, // it knows, or it asked for other parts
    DELTA_NEW,     // the whole record, with its new index
    DELTA_POSE,    // of an object: position, rotation and scale, and the members in `members`
    DELTA_MEMBERS, // the members in `members`
    DELTA_GONE,    // the index
    DELTA_OTHER,   // about the scene itself
};

struct delta_step {
    enum delta_change change;
    uint32_t index;
    uint64_t members; // bits of fields
};

// Names of parts with commas between them, all where there is no text. 0: a name that is none.
unsigned delta_parts_read(const struct text *names);

// Forgets all things; their indices stay used.
void delta_state_clear(struct delta_state *self);
void delta_state_finish(struct delta_state *self);

// Takes a thing that the client is shown, a reference of its own, and returns its index.
uint32_t delta_state_add(struct delta_state *self, const frozen_t *thing);

// Takes what an event says, and tells how the client, who asked for `parts`, is told of it.
struct delta_step delta_state_take(struct delta_state *self, unsigned parts,
                                   const struct event *event);

#endif
