// request_budget.h - what a request takes from the book of budgets while it lasts: uploads and
// streams from their head to their end, queries while an actor works on them. The worker's thread.
#ifndef DIORAMA_GATEWAY_REQUEST_REQUEST_BUDGET_H
#define DIORAMA_GATEWAY_REQUEST_REQUEST_BUDGET_H

#include "gateway/request/route.h"
#include "proto/budget/budget_hold.h"

// The budget that requests of this route hold while they last, or BUDGET_COUNT: what its body and
// answer say (an upload, a stream, a query).
enum budget request_budget_of(const struct route *route);

// Takes the place of an upload or a stream, which budget_hold_end gives back. Fails with
// ERR_OVER_BUDGET.
fallible request_budget_take(struct budget_hold *self, budget_book_t *book,
                             const struct route *route, const struct caller *caller);

// Begins what the file of an upload takes of asset_bytes while it comes: nothing yet. Fails with
// ERR_OVER_BUDGET.
fallible request_budget_begin_file(struct budget_hold *self, budget_book_t *book,
                                   const struct route *route, const struct caller *caller);

// Waits for the place of a query, to the deadline. Fails with ERR_UNAVAILABLE then, and with
// ERR_OVER_BUDGET if too many of this caller wait.
fallible request_budget_await(struct budget_hold *self, budget_book_t *book,
                              const struct route *route, const struct caller *caller,
                              uint64_t deadline_ms);

#endif
