// budget_book.h - the book of budgets: who has how much of each thing now, and may have at most.
// One book of the process; any thread. Payers are spread over shards with a lock each, held for one
// look-up. A payer who has nothing and no limits of their own takes no memory. NULL is a book that
// limits nothing, for actors that run without one.
#ifndef DIORAMA_PROTO_BUDGET_BUDGET_BOOK_H
#define DIORAMA_PROTO_BUDGET_BUDGET_BOOK_H

#include "proto/budget/budgets.h"

typedef struct budget_book budget_book_t;

// `limits` are those of everybody, one a budget; 0 = none. At most `waiters` threads wait for one
// payer at a time (budget_book_await).
budget_book_t *budget_book_create(const int64_t limits[BUDGET_COUNT], unsigned waiters);
// Accepts NULL.
void budget_book_destroy(budget_book_t **self);

// What the payer may have at most; 0 = no limit.
int64_t budget_book_limit(budget_book_t *self, enum budget budget, const char *payer);
// What the payer has now.
int64_t budget_book_held(budget_book_t *self, enum budget budget, const char *payer);

// Gives the payer `amount` more if it fits. Else fails as budget_refuse says.
fallible budget_book_take(budget_book_t *self, enum budget budget, const char *payer,
                          int64_t amount);

// Whether `amount` more would fit; takes nothing. Fails as budget_refuse says.
fallible budget_book_check(budget_book_t *self, enum budget budget, const char *payer,
                           int64_t amount);

// The same as budget_book_take, but waits until it fits, behind those who came before; more than
// the limit fits alone. Fails with ERR_UNAVAILABLE at the deadline (clock.h), and as budget_refuse
// says if too many wait already.
fallible budget_book_await(budget_book_t *self, enum budget budget, const char *payer,
                           int64_t amount, uint64_t deadline_ms);

// Adds `amount`, which may be negative, whatever the limit is: what was taken is given back, what
// is stored already is entered.
void budget_book_add(budget_book_t *self, enum budget budget, const char *payer, int64_t amount);

// Gives the payer limits of their own: -1 = as everybody, 0 = none. NULL: all as everybody.
void budget_book_set_limits(budget_book_t *self, const char *payer, const int64_t *limits);

// Counts a refusal of a budget that is not kept here (rates).
enum error budget_book_refuse(budget_book_t *self, enum budget budget, const char *payer);

#endif
