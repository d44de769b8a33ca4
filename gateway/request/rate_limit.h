// rate_limit.h - limits requests of one user, or of one address that is not logged in: all requests
// if http.rate_limit says so, and registrations, because others must be told of new devices. Any
// worker thread.
#ifndef DIORAMA_GATEWAY_REQUEST_RATE_LIMIT_H
#define DIORAMA_GATEWAY_REQUEST_RATE_LIMIT_H

#include "gateway/request/route.h"
#include "proto/message/message.h"

typedef struct rate_limit rate_limit_t;

// At most `requests_per_s` of one user or address; 0 = no limit.
rate_limit_t *rate_limit_create(unsigned requests_per_s);
// Accepts NULL.
void rate_limit_destroy(rate_limit_t **self);

// Counts the request, unless its route is open to everybody. Fails with ERR_THROTTLED and the
// seconds until the client may try again.
fallible rate_limit_take(rate_limit_t *self, const struct route *route, const struct caller *caller,
                         unsigned *ret_wait_s);

#endif
