// rate.c - a bounded table of leaky buckets. A set has eight slots, which are searched one after
// the other.
#include "proto/base/rate.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum { WAYS = 8, OVERFLOW_BURSTS = 2 };

struct slot {
    uint64_t key; // 0 = free
    uint64_t empty;
};

struct rates {
    unsigned char secret[crypto_generichash_KEYBYTES];
    size_t sets; // a power of two
    struct slot *slots;
};

rates_t *
rates_create(size_t slots)
{
    rates_t *self = memory_take_zeroed(sizeof *self);
    randombytes_buf(self->secret, sizeof self->secret);
    for (self->sets = 1; self->sets * WAYS < slots;)
        self->sets *= 2;
    self->slots = memory_take_zeroed(self->sets * WAYS * sizeof *self->slots);
    return self;
}

void
rates_destroy(rates_t **self)
{
    if (!*self)
        return;
    free((*self)->slots);
    free(*self);
    *self = NULL;
}

uint64_t
rates_key(const rates_t *self, unsigned kind, const char *name, const char *other)
{
    crypto_generichash_state state;
    unsigned char hash[crypto_generichash_BYTES_MIN];
    uint64_t key;
    crypto_generichash_init(&state, self->secret, sizeof self->secret, sizeof hash);
    crypto_generichash_update(&state, (const unsigned char *)&kind, sizeof kind);
    // With its NUL, so that no two pairs of names look the same.
    crypto_generichash_update(&state, (const unsigned char *)name, strlen(name) + 1);
    if (other)
        crypto_generichash_update(&state, (const unsigned char *)other, strlen(other) + 1);
    crypto_generichash_final(&state, hash, sizeof hash);
    memcpy(&key, hash, sizeof key);
    return key ? key : 1;
}

static struct slot *
set_of(const rates_t *self, uint64_t key)
{
    return &self->slots[(key & (self->sets - 1)) * WAYS];
}

static struct slot *
slot_find(const rates_t *self, uint64_t key)
{
    struct slot *set = set_of(self, key);
    for (size_t i = 0; i < WAYS; i++)
        if (set[i].key == key)
            return &set[i];
    return NULL;
}

// The bucket's slot; if it has none, the slot of the emptiest bucket of its set.
static struct slot *
slot_take(rates_t *self, uint64_t key)
{
    struct slot *slot = slot_find(self, key);
    if (slot)
        return slot;
    struct slot *set = set_of(self, key);
    slot = &set[0];
    for (size_t i = 1; i < WAYS; i++)
        if (set[i].empty < slot->empty)
            slot = &set[i];
    *slot = (struct slot){.key = key};
    return slot;
}

uint64_t
rates_wait(const rates_t *self, uint64_t key, const struct rate *rate, uint64_t now)
{
    const struct slot *slot = slot_find(self, key);
    uint64_t room = now + (uint64_t)(rate->burst - 1) * rate->interval;
    return slot && slot->empty > room ? slot->empty - room : 0;
}

void
rates_charge(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now)
{
    struct slot *slot = slot_take(self, key);
    uint64_t most = now + (uint64_t)OVERFLOW_BURSTS * rate->burst * rate->interval;
    slot->empty = (slot->empty > now ? slot->empty : now) + rate->interval;
    if (slot->empty > most)
        slot->empty = most;
}

void
rates_refund(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now)
{
    struct slot *slot = slot_find(self, key);
    if (slot && slot->empty > now + rate->interval)
        slot->empty -= rate->interval;
    else if (slot)
        *slot = (struct slot){0};
}

uint64_t
rates_take(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now)
{
    uint64_t wait = rates_wait(self, key, rate, now);
    if (wait == 0)
        rates_charge(self, key, rate, now);
    return wait;
}

void
rates_set(rates_t *self, uint64_t key, uint64_t until, uint64_t now)
{
    if (until > now)
        slot_take(self, key)->empty = until;
}

void
rates_clear(rates_t *self, uint64_t key)
{
    struct slot *slot = slot_find(self, key);
    if (slot)
        *slot = (struct slot){0};
}

unsigned
rate_wait_s(uint64_t wait_ms)
{
    return wait_ms > 1000 ? (unsigned)((wait_ms + 999) / 1000) : 1;
}
