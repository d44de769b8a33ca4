// rate.h - how often somebody may do something: a bounded table of leaky buckets (GCRA). Pure: the
// time is passed in. One number a bucket: when it will be empty again.
// Whoever fills the table with strangers pushes out the buckets that are nearly empty, never the
// fullest one of a set. One thread, or a lock around it.
#ifndef DIORAMA_PROTO_BASE_RATE_H
#define DIORAMA_PROTO_BASE_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rates rates_t;

// `burst` at once, then one every `interval_ms`.
struct rate {
    uint32_t burst;
    uint32_t interval_ms;
};

// Room for `slots` buckets, 16 bytes each; rounded up to a power of two.
rates_t *rates_create(size_t slots);
// Accepts NULL.
void rates_destroy(rates_t **self);

// Names a bucket: one of `kind`, of one or two names (`other` may be NULL). Keyed by the table:
// nobody outside can choose names that meet in one set.
uint64_t rates_key(const rates_t *self, unsigned kind, const char *name, const char *other);

// How many ms until one more fits into the bucket; 0 = now. Changes nothing.
uint64_t rates_wait(const rates_t *self, uint64_t key, const struct rate *rate, uint64_t now_ms);

// Puts one into the bucket, full or not; it holds at most twice its burst.
void rates_charge(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now_ms);

// Takes one out again.
void rates_refund(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now_ms);

// Charges the bucket where one fits; else changes nothing and returns how many ms until it will.
uint64_t rates_take(rates_t *self, uint64_t key, const struct rate *rate, uint64_t now_ms);

// The bucket is empty at `until_ms`, whatever was in it.
void rates_set(rates_t *self, uint64_t key, uint64_t until_ms, uint64_t now_ms);

// The bucket is empty.
void rates_clear(rates_t *self, uint64_t key);

// The wait as whole seconds for Retry-After, at least 1.
unsigned rate_wait_s(uint64_t wait_ms);

#endif
