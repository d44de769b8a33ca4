// retransmit.h - the repeats of a packed lane, which replace lost datagrams. An entity that
// changed is sent again 0.1, 0.5 and 2 s after its newest change, with all members that changed
// lately. Pure: the time is passed in; one thread.
//
// A lane whose devices know indices sends most changes without key. An index is the seq of a change
// of the entity, so it stands for the same key in all lanes for as long as there are such numbers.
//
// What changes again before its repeat is due is not repeated: the change replaces the repeat. An
// entity that changes regularly, at least every 0.5 s, is expected to change again, and its first
// repeat waits for that. A member that changed once heals while others go on changing: its window
// begins with the change, and the first change after 0.1, 0.5 and 2 s of a window brings along all
// members of the window. The next window has what changed in this one after its first change.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_RETRANSMIT_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_RETRANSMIT_H

#include "proto/base/table.h"
#include "proto/base/timer_heap.h"
#include "proto/feed/event.h"

// An entity that was sent and will be sent again.
struct pending_repeat {
    struct event event;  // its newest change: seq, and the record as it was sent, one reference
    uint64_t members;    // of the window, and of its repeats
    uint64_t recent;     // those that changed after the window began
    uint64_t window_us;  // when this window began
    uint64_t changed_us; // when its newest change was sent
    uint64_t index;      // that stands for its key: the seq of the change that came with both first
    uint64_t told_us;    // when a change came with both last
    uint32_t every_us;   // mean time between its changes; 0 = they are not regular
    struct timer timer;  // when it is sent again
    uint8_t msg_type;    // of its repeats: in the window of its creation that one
    uint8_t repeats;     // since its newest change
    uint8_t brought;     // how often the members of the window were sent again
    uint8_t tells;       // changes that came with key and index
};

// Embedded; all zero is valid and empty.
struct retransmit {
    struct table entities; // struct pending_repeat; events of actions have their own
    struct timer_heap timers;
};

enum {
    RETRANSMIT_ENTITIES = 65536, // further ones are sent with all members, and once
};

void retransmit_finish(struct retransmit *self);

// The pending repeat of an event's entity; NULL if there is none.
struct pending_repeat *retransmit_find(const struct retransmit *self, const struct event *event);

// The members that are sent of a change.
struct sending {
    uint64_t changed; // members that changed; all if the state before is not known
    uint64_t members; // these, and sometimes those of the window
    uint64_t index;   // of its entity
    bool has_key;     // the index alone might not be known: it may be new, or its telling lost
    uint8_t msg_type;
};

// What to send of `event` at `now_us`. `repeat` is that of its entity, or NULL.
struct sending retransmit_sending(const struct pending_repeat *repeat, const struct event *event,
                                  uint64_t now_us);

// The change was sent. Its entity is repeated unless it changes again before.
void retransmit_note_change(struct retransmit *self, struct pending_repeat *repeat,
                            const struct event *event, const struct sending *sending,
                            uint64_t now_us);

// A repeat that is due; NULL if there is none.
struct pending_repeat *retransmit_next(const struct retransmit *self, uint64_t now_us);

// The repeat was sent. After the last one it is freed.
void retransmit_note_repeat(struct retransmit *self, struct pending_repeat *repeat,
                            uint64_t now_us);

// When the next repeat is due; UINT64_MAX: never.
uint64_t retransmit_due_us(const struct retransmit *self);

#endif
