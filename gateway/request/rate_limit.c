// rate_limit.c - counts requests in one table. Only requests that are limited take its lock, for
// one look-up.
#include "gateway/request/rate_limit.h"

#include <pthread.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/rate.h"

enum { SLOTS = 65536, MS_PER_S = 1000 };
enum kind { BY_REQUEST, BY_REGISTRATION };

// Generous: a crowd behind one address may register at once; nobody registers all the time.
static const struct rate registrations = {.burst = 10000, .interval_ms = 5};

struct rate_limit {
    pthread_mutex_t lock;
    rates_t *rates;
    struct rate requests; // no burst: no limit
};

rate_limit_t *
rate_limit_create(unsigned requests_per_s)
{
    rate_limit_t *self = memory_take_zeroed(sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    self->rates = rates_create(SLOTS);
    if (requests_per_s)
        self->requests =
            (struct rate){.burst = requests_per_s, .interval_ms = MS_PER_S / requests_per_s};
    return self;
}

void
rate_limit_destroy(rate_limit_t **self)
{
    if (!*self)
        return;
    pthread_mutex_destroy(&(*self)->lock);
    rates_destroy(&(*self)->rates);
    free(*self);
    *self = NULL;
}

static fallible
take(rate_limit_t *self, enum kind kind, const struct rate *rate, const struct caller *caller,
     unsigned *ret_wait_s)
{
    const char *name = caller->user[0] ? caller->user : caller->peer;
    uint64_t key = rates_key(self->rates, kind, name, NULL);
    pthread_mutex_lock(&self->lock);
    uint64_t wait_ms = rates_take(self->rates, key, rate, clock_now_ms());
    pthread_mutex_unlock(&self->lock);
    if (wait_ms == 0)
        return OK;
    *ret_wait_s = rate_wait_s(wait_ms);
    return fail(ERR_THROTTLED, "", "too many %s; try again in %u s",
                kind == BY_REGISTRATION ? "registrations" : "requests", *ret_wait_s);
}

fallible
rate_limit_take(rate_limit_t *self, const struct route *route, const struct caller *caller,
                unsigned *ret_wait_s)
{
    if (route_access(route) == ACCESS_OPEN)
        return OK;
    if (self->requests.burst)
        TRY(take(self, BY_REQUEST, &self->requests, caller, ret_wait_s));
    if (route->operation == REGISTER)
        TRY(take(self, BY_REGISTRATION, &registrations, caller, ret_wait_s));
    return OK;
}
