// recent_changes.h - the changes that a lane sent lately, for devices that ask for some of them
// again: the number of each change and, once, the newest state of its entity. It goes back 30 s, or
// fewer if that would take more than its share of memory. Pure: the time is passed in; one thread.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_RECENT_CHANGES_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_RECENT_CHANGES_H

#include "proto/base/table.h"
#include "proto/feed/event.h"

struct recent_entity;

// Embedded; all zero is valid and empty.
struct recent_changes {
    struct recent_change *ring; // in the order of seq
    uint32_t first;             // place of the oldest
    uint32_t count;
    uint32_t capacity; // a power of two
    size_t bytes;      // of changes, entities and the records that they hold
    uint64_t floor;    // nothing is known of what was sent up to this seq
    bool has_begun;    // else nothing was sent yet, and nothing is known at all
    struct table entities;
};

enum {
    RECENT_US = 30000000,
    RECENT_BYTES = 1 << 20, // of one lane, at most
};

void recent_changes_finish(struct recent_changes *self);

// Adds a change that was sent, with references of its own. Its seq is above those of all others.
// The oldest are forgotten beyond `most` bytes.
void recent_changes_take(struct recent_changes *self, const struct event *event, uint64_t now_us,
                         size_t most);

// Forgets what was sent more than 30 s ago.
void recent_changes_age(struct recent_changes *self, uint64_t now_us);

// When the oldest is 30 s old; UINT64_MAX if there is none.
uint64_t recent_changes_due_us(const struct recent_changes *self);

// Something up to this seq was never sent: it and what was before are not known any more.
void recent_changes_forget(struct recent_changes *self, uint64_t seq);

// Whether all changes from `from` on are known.
bool recent_changes_reach(const struct recent_changes *self, uint64_t from);

// Finds the first entity, in the order of their last changes from `after` + 1 to `to`, and the
// number of that change. `ret_event` borrows its records and has the newest state, which may be of
// a later change; it says that the entity was created if that was at `from` or later. False if
// there is none.
bool recent_changes_next(const struct recent_changes *self, uint64_t from, uint64_t after,
                         uint64_t to, struct event *ret_event, uint64_t *ret_seq);

#endif
