// retransmit.h - what a packed lane sends again, so that a lost datagram heals: each entity that
// changed, 0.1, 0.5 and 2 s after its newest change, with all members that changed and are not
// healed yet (live-feed, "UDP out, packed form"). Pure: the time is passed in; one thread.
//
// An entity that goes on changing is repeated every 0.1 s. What of it has not changed for 2 s is
// healed by then and left out of its repeats, within another 2 s.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_RETRANSMIT_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_RETRANSMIT_H

#include "actors/streamer/fanout/timer_heap.h"
#include "proto/base/table.h"
#include "proto/feed/event.h"

// An entity that was sent and is to be sent again.
struct pending_repeat {
    struct event event;  // its newest change: seq, and the record as it was sent, one reference
    uint64_t members;    // that repeats have: those that changed in the last 2 s and some before
    uint64_t recent;     // of them, those that changed since window_us
    uint64_t window_us;  // when the others were dropped last
    uint64_t changed_us; // when its newest change was sent
    struct timer timer;  // when it is sent again
    uint8_t msg_type;    // of its repeats: that of its creation, while that is not healed
    uint8_t created;     // for so many turns more that is not healed
    uint8_t repeats;     // since its newest change
};

// Embedded; all zero is valid and empty.
struct retransmit {
    struct table entities; // struct pending_repeat; events of actions stand apart
    struct timer_heap timers;
    uint64_t forgotten; // seq of the newest change that is not known here any more
};

enum {
    RETRANSMIT_ENTITIES = 65536, // what changes beyond that is sent whole, and not again
};

void retransmit_finish(struct retransmit *self);

// The entity of an event; NULL where there is nothing to mend.
struct pending_repeat *retransmit_find(const struct retransmit *self, const struct event *event);

// What is sent of a change.
struct sending {
    uint64_t changed; // members that changed; all where what was there before is not known
    uint64_t members; // and where a repeat is due, those that it would have
    uint8_t msg_type;
};

// What must be sent of `event` at `now_us`; `repeat` is its entity, or NULL.
struct sending retransmit_sending(const struct pending_repeat *repeat, const struct event *event,
                                  uint64_t now_us);

// That was sent: the next repeat is in 0.1 s at most.
void retransmit_note_change(struct retransmit *self, struct pending_repeat *repeat,
                            const struct event *event, const struct sending *sending,
                            uint64_t now_us);

// The entity whose repeat is due; NULL where there is none.
struct pending_repeat *retransmit_next(const struct retransmit *self, uint64_t now_us);

// It was repeated; after its last repeat it is whole, and forgotten.
void retransmit_note_repeat(struct retransmit *self, struct pending_repeat *repeat,
                            uint64_t now_us);

// When retransmit_next has something; UINT64_MAX: never.
uint64_t retransmit_due_us(const struct retransmit *self);

// The newest changes of the entities that changed after `seq`, as their repeats would be, in order:
// *ret_events is yours to free, the records are borrowed. Returns how many.
uint32_t retransmit_changes_after(const struct retransmit *self, uint64_t seq,
                                  struct event **ret_events);

#endif
