// latency.c - 64 buckets per power of two: a bucket is as wide as a 64th of its time.
#include "tools/cli/latency.h"

#include <math.h>

enum { STEP_BITS = 6 };

static unsigned
bucket_of(uint64_t time_us)
{
    if (time_us > UINT32_MAX)
        time_us = UINT32_MAX;
    if (time_us < LATENCY_STEPS)
        return (unsigned)time_us;
    unsigned shift = 63 - (unsigned)__builtin_clzll(time_us) - STEP_BITS;
    return (shift + 1) * LATENCY_STEPS + (unsigned)((time_us >> shift) & (LATENCY_STEPS - 1));
}

// The longest time of a bucket.
static uint64_t
bucket_end(unsigned bucket)
{
    if (bucket < LATENCY_STEPS)
        return bucket;
    unsigned shift = bucket / LATENCY_STEPS - 1;
    uint64_t step = LATENCY_STEPS + bucket % LATENCY_STEPS;
    return ((step + 1) << shift) - 1;
}

void
latency_note(struct latency *self, uint64_t time_us)
{
    self->counts[bucket_of(time_us)]++;
    self->count++;
    if (time_us > self->largest_us)
        self->largest_us = time_us;
}

void
latency_add(struct latency *self, const struct latency *other)
{
    for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
        self->counts[i] += other->counts[i];
    self->count += other->count;
    if (other->largest_us > self->largest_us)
        self->largest_us = other->largest_us;
}

uint64_t
latency_within(const struct latency *self, double share)
{
    uint64_t rank = (uint64_t)ceil(share * (double)self->count), seen = 0;
    for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
        seen += self->counts[i];
        if (seen >= rank && seen > 0)
            return bucket_end(i) < self->largest_us ? bucket_end(i) : self->largest_us;
    }
    return 0;
}
