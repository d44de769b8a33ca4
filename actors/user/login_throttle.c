// login_throttle.c - how often a password may be guessed. Runs on the user actor's thread.
#include "actors/user/login_throttle.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/base/origin.h"
#include "proto/base/rate.h"

enum {
    TRIED_SLOTS = 65536,
    KNOWN_SLOTS = 16384,
};
#define KNOWN_FOR_MS (UINT64_C(90) * 24 * 3600 * 1000)

enum kind { BY_PEER, BY_PAIR, BY_ACCOUNT, KNOWN };

// In milliseconds.
static const struct rate peer_rate = {.burst = 20, .interval = 3000};
static const struct rate pair_rate = {.burst = 5, .interval = 15000};
static const struct rate account_rate = {.burst = 20, .interval = 10000}; // beyond: throttled
static const struct rate throttled_rate = {.burst = 1, .interval = 60000};

struct login_throttle {
    rates_t *tried; // failures by peer, by peer and account, by account
    rates_t *known; // addresses that logged in; in a table of their own, so that no failure pushes
                    // them out
};

// The buckets of one try.
struct keys {
    uint64_t peer, pair, account, known;
};

login_throttle_t *
login_throttle_create(void)
{
    login_throttle_t *self = memory_take_zeroed(sizeof *self);
    self->tried = rates_create(TRIED_SLOTS);
    self->known = rates_create(KNOWN_SLOTS);
    return self;
}

void
login_throttle_destroy(login_throttle_t **self)
{
    if (!*self)
        return;
    rates_destroy(&(*self)->tried);
    rates_destroy(&(*self)->known);
    free(*self);
    *self = NULL;
}

static struct keys
keys_of(const login_throttle_t *self, const char *account, const char *peer)
{
    char origin[ORIGIN_SIZE];
    origin_of(peer, origin);
    return (struct keys){
        .peer = rates_key(self->tried, BY_PEER, origin, NULL),
        .pair = rates_key(self->tried, BY_PAIR, account, origin),
        .account = rates_key(self->tried, BY_ACCOUNT, account, NULL),
        .known = rates_key(self->known, KNOWN, account, origin),
    };
}

static bool
is_known(const login_throttle_t *self, const struct keys *keys, uint64_t now_ms)
{
    static const struct rate any = {.burst = 1};
    return rates_wait(self->known, keys->known, &any, now_ms) > 0;
}

static const struct rate *
rate_of_pair(const login_throttle_t *self, const struct keys *keys, uint64_t now_ms)
{
    bool throttled = rates_wait(self->tried, keys->account, &account_rate, now_ms) > 0;
    return throttled && !is_known(self, keys, now_ms) ? &throttled_rate : &pair_rate;
}

uint64_t
login_throttle_try(login_throttle_t *self, const char *account, const char *peer, uint64_t now_ms)
{
    struct keys keys = keys_of(self, account, peer);
    const struct rate *rate = rate_of_pair(self, &keys, now_ms);
    bool known = is_known(self, &keys, now_ms);
    uint64_t wait_ms = rates_wait(self->tried, keys.pair, rate, now_ms);
    uint64_t peer_ms = known ? 0 : rates_wait(self->tried, keys.peer, &peer_rate, now_ms);
    if (wait_ms || peer_ms)
        return wait_ms > peer_ms ? wait_ms : peer_ms;
    rates_charge(self->tried, keys.pair, rate, now_ms);
    rates_charge(self->tried, keys.peer, &peer_rate, now_ms);
    if (!known)
        rates_charge(self->tried, keys.account, &account_rate, now_ms);
    return 0;
}

static void
refund(login_throttle_t *self, const struct keys *keys, uint64_t now_ms)
{
    rates_refund(self->tried, keys->pair, rate_of_pair(self, keys, now_ms), now_ms);
    rates_refund(self->tried, keys->peer, &peer_rate, now_ms);
    if (!is_known(self, keys, now_ms))
        rates_refund(self->tried, keys->account, &account_rate, now_ms);
}

void
login_throttle_succeed(login_throttle_t *self, const char *account, const char *peer,
                       uint64_t now_ms)
{
    struct keys keys = keys_of(self, account, peer);
    refund(self, &keys, now_ms);
    rates_clear(self->tried, keys.pair); // earlier mistypings
    rates_set(self->known, keys.known, now_ms + KNOWN_FOR_MS, now_ms);
}

void
login_throttle_forget(login_throttle_t *self, const char *account, const char *peer,
                      uint64_t now_ms)
{
    struct keys keys = keys_of(self, account, peer);
    refund(self, &keys, now_ms);
}

bool
login_throttle_knows(const login_throttle_t *self, const char *account, const char *peer,
                     uint64_t now_ms)
{
    struct keys keys = keys_of(self, account, peer);
    return is_known(self, &keys, now_ms);
}
