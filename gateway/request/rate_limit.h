// rate_limit.h - how often somebody may ask (decisions 13): all requests, where http.rate_limit
// says so, and registrations, which make devices that others must be told of. By user, or by
// address where nobody is logged in. Any worker thread.
#ifndef DIORAMA_GATEWAY_REQUEST_RATE_LIMIT_H
#define DIORAMA_GATEWAY_REQUEST_RATE_LIMIT_H

#include "gateway/request/route.h"
#include "proto/message/message.h"

typedef struct rate_limit rate_limit_t;

// `requests_per_s` of one user or address, 0 = as many as they like.
rate_limit_t *rate_limit_create(unsigned requests_per_s);
// Accepts NULL.
void rate_limit_destroy(rate_limit_t **self);

// Counts the request; what is open to everybody is not. Fails with ERR_THROTTLED and the seconds
// until it may be tried again.
fallible rate_limit_take(rate_limit_t *self, const struct route *route, const struct caller *caller,
                         unsigned *ret_wait_s);

#endif
