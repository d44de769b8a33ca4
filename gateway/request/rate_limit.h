// rate_limit.h - limits how often one user, or one address that is not logged in, may ask: the
// budget `requests` (http.rate_limit, http.rate_burst), and registrations, because others must be
// told of new devices. Any worker thread.
#ifndef DIORAMA_GATEWAY_REQUEST_RATE_LIMIT_H
#define DIORAMA_GATEWAY_REQUEST_RATE_LIMIT_H

#include "gateway/request/route.h"
#include "proto/base/rate.h"
#include "proto/budget/budget_book.h"
#include "proto/message/message.h"

typedef struct rate_limit rate_limit_t;

// The book says how many requests a second the payer may make; at most `burst` of them at once. The
// book is borrowed.
rate_limit_t *rate_limit_create(budget_book_t *book, unsigned burst);
// Accepts NULL.
void rate_limit_destroy(rate_limit_t **self);

// The rate of so many requests a second, at least 1, in nanoseconds.
struct rate rate_limit_rate(uint32_t burst, int64_t per_s);

// Counts the request, unless its route is open to everybody or the caller does not count. Fails
// with ERR_OVER_BUDGET, or ERR_THROTTLED (registrations), and the seconds until the client may try
// again.
fallible rate_limit_take(rate_limit_t *self, const struct route *route, const struct caller *caller,
                         unsigned *ret_wait_s);

#endif
