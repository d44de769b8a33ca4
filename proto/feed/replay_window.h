// replay_window.h - which counters of a session of sealed datagrams came already. Datagrams may
// overtake each other: each is taken once, if it is not far behind the greatest. Pure.
#ifndef DIORAMA_PROTO_FEED_REPLAY_WINDOW_H
#define DIORAMA_PROTO_FEED_REPLAY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_WINDOW = 1024 }; // so far behind the greatest a counter may be

// Embedded; all zero is one that has seen nothing.
struct replay_window {
    uint64_t next;                     // one above the greatest counter that was seen
    uint64_t seen[REPLAY_WINDOW / 64]; // a ring of bits, for the counters before `next`
};

// Forgets everything; counters below `next` count as seen.
void replay_window_begin(struct replay_window *self, uint64_t next);

// Whether the counter may be taken: it was not seen, and is not too far behind.
bool replay_window_takes(const struct replay_window *self, uint64_t counter);

// The counter was seen. It must be one that may be taken.
void replay_window_note(struct replay_window *self, uint64_t counter);

#endif
