// budget_hold.h - what somebody has of a budget for a while, and gives back in one place, whatever
// happens in between. One thread at a time.
#ifndef DIORAMA_PROTO_BUDGET_BUDGET_HOLD_H
#define DIORAMA_PROTO_BUDGET_BUDGET_HOLD_H

#include "proto/budget/budget_book.h"
#include "proto/budget/payer.h"

// Embedded; all zero holds nothing.
struct budget_hold {
    budget_book_t *book; // borrowed; NULL: nothing is held
    enum budget budget;
    int64_t amount;
    char payer[PAYER_SIZE];
};

// Holds what was taken, as budget_book_take and budget_book_await say; nothing if they fail, or
// without a book. It must hold nothing before.
fallible budget_hold_take(struct budget_hold *self, budget_book_t *book, enum budget budget,
                          const char *payer, int64_t amount);
fallible budget_hold_await(struct budget_hold *self, budget_book_t *book, enum budget budget,
                           const char *payer, int64_t amount, uint64_t deadline_ms);

// Takes `amount` more of what it holds already, which may be 0. Fails as budget_book_take says;
// nothing if it has no book.
fallible budget_hold_more(struct budget_hold *self, int64_t amount);

// It has turned out to be `amount`: gives the rest back, or takes what lacks, whatever the limit
// is.
void budget_hold_settle(struct budget_hold *self, int64_t amount);

// Moves what `self` holds to another one, which holds nothing.
void budget_hold_move(struct budget_hold *self, struct budget_hold *to);

// Gives all of it back.
void budget_hold_end(struct budget_hold *self);

#endif
