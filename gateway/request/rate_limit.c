// rate_limit.c - counts requests in one table. Only requests that are limited take its lock, for
// one look-up.
#include "gateway/request/rate_limit.h"

#include <pthread.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/rate.h"
#include "proto/budget/payer.h"

// Times are in nanoseconds: 700 requests a second are no whole number of anything coarser.
enum { SLOTS = 65536, NS_PER_S = 1000000000, NS_PER_MS = 1000000, NS_PER_US = 1000 };
enum kind { BY_REQUEST, BY_REGISTRATION };

// Generous: a crowd behind one address may register at once; nobody registers all the time.
static const struct rate registrations = {.burst = 10000, .interval = 5 * NS_PER_MS};

struct rate_limit {
    pthread_mutex_t lock;
    rates_t *rates;
    budget_book_t *book;
    uint32_t burst;
};

rate_limit_t *
rate_limit_create(budget_book_t *book, unsigned burst)
{
    rate_limit_t *self = memory_take_zeroed(sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    self->rates = rates_create(SLOTS);
    self->book = book;
    self->burst = burst ? burst : 1;
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

struct rate
rate_limit_rate(uint32_t burst, int64_t per_s)
{
    return (struct rate){.burst = burst, .interval = NS_PER_S / (uint64_t)per_s};
}

// Milliseconds until the payer may do it; 0: it is counted.
static uint64_t
take(rate_limit_t *self, enum kind kind, const struct rate *rate, const char *payer)
{
    uint64_t key = rates_key(self->rates, kind, payer, NULL);
    pthread_mutex_lock(&self->lock);
    uint64_t wait_ns = rates_take(self->rates, key, rate, clock_now_us() * NS_PER_US);
    pthread_mutex_unlock(&self->lock);
    return (wait_ns + NS_PER_MS - 1) / NS_PER_MS;
}

static fallible
take_request(rate_limit_t *self, const struct caller *caller, unsigned *ret_wait_s)
{
    char payer[PAYER_SIZE];
    if (!payer_counts(BUDGET_REQUESTS, caller))
        return OK;
    payer_of(caller, payer);
    int64_t per_s = budget_book_limit(self->book, BUDGET_REQUESTS, payer);
    if (per_s == 0)
        return OK;
    const struct rate rate = rate_limit_rate(self->burst, per_s);
    uint64_t wait_ms = take(self, BY_REQUEST, &rate, payer);
    if (wait_ms == 0)
        return OK;
    *ret_wait_s = rate_wait_s(wait_ms);
    return budget_book_refuse(self->book, BUDGET_REQUESTS, payer);
}

static fallible
take_registration(rate_limit_t *self, const struct caller *caller, unsigned *ret_wait_s)
{
    char payer[PAYER_SIZE];
    payer_of(caller, payer);
    uint64_t wait_ms = take(self, BY_REGISTRATION, &registrations, payer);
    if (wait_ms == 0)
        return OK;
    *ret_wait_s = rate_wait_s(wait_ms);
    return fail(ERR_THROTTLED, "", "too many registrations; try again in %u s", *ret_wait_s);
}

fallible
rate_limit_take(rate_limit_t *self, const struct route *route, const struct caller *caller,
                unsigned *ret_wait_s)
{
    if (route_access(route) == ACCESS_OPEN)
        return OK;
    TRY(take_request(self, caller, ret_wait_s));
    return route->operation == REGISTER ? take_registration(self, caller, ret_wait_s) : OK;
}
