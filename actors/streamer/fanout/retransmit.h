// retransmit.h - what a packed lane sends again, so that a lost datagram heals: each thing that
// changed, 0.1, 0.5 and 2 s after its newest change, with all members that changed and are not
// healed yet (live-feed, "UDP out, packed form"). Pure: the time is passed in; one thread.
//
// A thing that goes on changing is repeated every 0.1 s. What of it has not changed for 2 s is
// healed by then and left out of its repeats, within another 2 s.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_RETRANSMIT_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_RETRANSMIT_H

#include "actors/streamer/fanout/timer_heap.h"
#include "proto/base/table.h"
#include "proto/feed/event.h"

// A thing that was sent and is to be sent again.
struct mending {
    struct event event;  // its newest change: seq, and the record as it was sent, one reference
    uint64_t members;    // that repeats have: those that changed in the last 2 s and some before
    uint64_t recent;     // of them, those that changed since turned_us
    uint64_t turned_us;  // when the others were dropped last
    uint64_t changed_us; // when its newest change was sent
    struct alarm alarm;  // when it is sent again
    uint8_t msg_type;    // of its repeats: that of its creation, while that is not healed
    uint8_t created;     // for so many turns more that is not healed
    uint8_t repeats;     // since its newest change
};

// Embedded; all zero is valid and empty.
struct heal {
    struct table things; // struct mending; events of actions stand apart
    struct agenda agenda;
    uint64_t forgotten; // seq of the newest change that is not known here any more
};

enum {
    HEAL_THINGS = 65536, // what changes beyond that is sent whole, and not again
};

void heal_finish(struct heal *self);

// The thing of an event; NULL where there is nothing to mend.
struct mending *heal_find(const struct heal *self, const struct event *event);

// What is sent of a change.
struct sending {
    uint64_t changed; // members that changed; all where what was there before is not known
    uint64_t members; // and where a repeat is due, those that it would have
    uint8_t msg_type;
};

// What must be sent of `event` at `now_us`; `mending` is its thing, or NULL.
struct sending heal_sending(const struct mending *mending, const struct event *event,
                            uint64_t now_us);

// That was sent: the next repeat is in 0.1 s at most.
void heal_note_change(struct heal *self, struct mending *mending, const struct event *event,
                      const struct sending *sending, uint64_t now_us);

// The thing whose repeat is due; NULL where there is none.
struct mending *heal_next(const struct heal *self, uint64_t now_us);

// It was repeated; after its last repeat it is whole, and forgotten.
void heal_note_repeat(struct heal *self, struct mending *mending, uint64_t now_us);

// When heal_next has something; UINT64_MAX: never.
uint64_t heal_due_us(const struct heal *self);

// The newest changes of the things that changed after `seq`, as their repeats would be, in order:
// *ret_events is yours to free, the records are borrowed. Returns how many.
uint32_t heal_changes_after(const struct heal *self, uint64_t seq, struct event **ret_events);

#endif
