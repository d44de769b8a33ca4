// turn.h - how long the turns of an actor take, and when the one under way is long enough. Each is
// counted in `diorama_turn_seconds`; one that holds its actor too long is told in the log, with the
// operation that took longest.
#ifndef DIORAMA_ACTORS_RUNTIME_TURN_H
#define DIORAMA_ACTORS_RUNTIME_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/message/operations.h"

enum {
    TURN_SLICE_US = 2000,    // what takes longer goes on in a later turn
    TURN_SLOW_CPU_MS = 50,   // a turn that takes more is told in the log
    TURN_READ_CPU_US = 1000, // of turns, between two looks at the clock of the thread
};

// Embedded in the state of an actor; all zero is a turn without an end, as in unit tests.
struct turn {
    unsigned actor;   // its place in the metrics
    bool may_be_slow; // nobody waits for this actor but who asked for what takes long

    uint64_t began_us;
    uint64_t now_us;      // when the last message ended
    uint64_t slice_us;    // when the slice under way is long enough; 0 = never
    uint64_t longest_us;  // that a message took
    enum operation named; // of that message

    uint64_t cpu_us;    // the thread's clock when it was read last
    uint64_t unread_us; // of turns since then
};

// Of the actor with this name, on its thread.
void turn_init(struct turn *self, const char *actor, bool may_be_slow);

void turn_begin(struct turn *self);
// A message of this operation has ended.
void turn_mark(struct turn *self, enum operation operation);
// Begins a slice of its own within the turn.
void turn_next_slice(struct turn *self);
// Whether the slice is long enough. Reads the clock.
bool turn_is_long(const struct turn *self);
// Counts the turn, which did `messages`, and tells the log of a slow one.
void turn_end(struct turn *self, const char *actor, unsigned messages);

#endif
