// parse_memory.h - the memory that bodies take while they arrive and are read, of all requests
// together (http.parse_memory). One half is for bodies that arrive, which clients may do slowly;
// the other is for what they are read into. Who does not fit waits in line. Any thread.
#ifndef DIORAMA_PROTO_MESSAGE_PARSE_MEMORY_H
#define DIORAMA_PROTO_MESSAGE_PARSE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

enum parse_phase { PARSE_ARRIVING, PARSE_READING, PARSE_PHASES };

// What somebody holds of one half. Embedded; all zero holds nothing.
struct parse_share {
    enum parse_phase phase;
    size_t size;
};

// Sets what both halves have together. Call it before the first share is taken.
void parse_memory_init(uint64_t bytes);

// Takes `size` bytes of a half, at most all of it, when those who asked before have theirs. Fails
// with ERR_UNAVAILABLE at the deadline (of clock.h). `ret_share` must hold nothing.
fallible parse_share_take(enum parse_phase phase, size_t size, uint64_t deadline_ms,
                          struct parse_share *ret_share);

// The share has turned out to take `size`: gives the rest back, or takes what lacks without
// waiting. A share that holds nothing stays so.
void parse_share_settle(struct parse_share *self, size_t size);

// Gives all of it back.
void parse_share_release(struct parse_share *self);

// Gives the system back what a flood of bodies left in the heap, now and then, if there was one. It
// may take some milliseconds: no actor may call it.
void parse_memory_trim(void);

#endif
