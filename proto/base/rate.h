// rate.h - how often somebody may do something: a bounded table of leaky buckets (GCRA). Pure: the
// time is passed in, in any unit, which intervals and waits have too. A bucket is one number: the
// time at which it is empty again. Many new names push out the buckets that are nearly empty, never
// the fullest one of a set. One thread, or a lock around it.
#ifndef DIORAMA_PROTO_BASE_RATE_H
#define DIORAMA_PROTO_BASE_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rates rates_t;

// `burst` at once, then one every `interval`.
struct rate {
    uint32_t burst;
    uint64_t interval;
};

// Room for `slots` buckets, 16 bytes each; rounded up to a power of two.
rates_t *rates_create(size_t slots);
// Accepts NULL.
void rates_destroy(rates_t **self);

// Names a bucket of `kind` by one or two names (`other` may be NULL). The hash has a key of the
// table, so that nobody outside can choose names that fall into one set.
uint64_t rates_key(const rates_t *self, unsigned kind, const char *name, const char *other);

// How long until one more fits into the bucket; 0 = now. Changes nothing.
uint64_t rates_wait(const rates_t *self, uint64_t key, const struct rate *rate, uint64_t now);

// Adds one to the bucket, even if it is full; it holds at most twice its burst.
void rates_charge(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now);

// Removes one.
void rates_refund(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now);

// Adds one to the bucket if it fits. Else changes nothing and returns how long until it does.
uint64_t rates_take(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now);

// Sets the time at which the bucket is empty, whatever was in it.
void rates_set(rates_t *self, uint64_t key, uint64_t until, uint64_t now);

// Empties the bucket.
void rates_clear(rates_t *self, uint64_t key);

// A wait in milliseconds as whole seconds for Retry-After, at least 1.
unsigned rate_wait_s(uint64_t wait_ms);

#endif
