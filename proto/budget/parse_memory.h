// parse_memory.h - the memory that bodies take while they arrive and are read, of all requests
// together (http.parse_memory) and of one payer (budgets arriving_bytes and parse_bytes). One half
// is for bodies that arrive, which clients may do slowly; the other is for what they are read into.
// Who is over their own budget waits for themselves alone; who does not fit into a half waits in
// line, where payers take turns. Any thread.
#ifndef DIORAMA_PROTO_BUDGET_PARSE_MEMORY_H
#define DIORAMA_PROTO_BUDGET_PARSE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "proto/budget/budget_hold.h"

enum parse_phase { PARSE_ARRIVING, PARSE_READING, PARSE_PHASES };

// Who pays for a body.
struct parse_payer {
    budget_book_t *book;   // borrowed; NULL: they have no budget
    char name[PAYER_SIZE]; // as payer_of says, also of those who have none: they take turns too
};

// Who pays, of a request of this caller.
void parse_payer_init(struct parse_payer *self, budget_book_t *book, const struct caller *caller);

// What somebody holds of one half, and of the payer's budget. Embedded; all zero holds nothing.
struct parse_share {
    enum parse_phase phase;
    size_t size;
    struct budget_hold paid;
};

// Sets what both halves have together. Call it before the first share is taken.
void parse_memory_init(uint64_t bytes);

// Takes `size` bytes of the payer's budget, and of a half, at most all of it, when those who asked
// before have theirs. Fails with ERR_UNAVAILABLE at the deadline (of clock.h), and with
// ERR_OVER_BUDGET if too many bodies of the payer wait for the payer's own. `ret_share` must hold
// nothing.
fallible parse_share_take(const struct parse_payer *payer, enum parse_phase phase, size_t size,
                          uint64_t deadline_ms, struct parse_share *ret_share);

// How many wait for room for bodies that arrive.
size_t parse_memory_waiting(void);

// The share has turned out to take `size`: gives the rest back, or takes what lacks without
// waiting. A share that holds nothing stays so.
void parse_share_settle(struct parse_share *self, size_t size);

// Gives all of it back.
void parse_share_release(struct parse_share *self);

// Moves the share to what a message carries, which gives it back at its end; NULL if it holds
// nothing.
struct parcel *parse_share_move(struct parse_share *self);

// Gives the system back what a flood of bodies left in the heap, now and then, if there was one. It
// may take some milliseconds: no actor may call it.
void parse_memory_trim(void);

#endif
