// latency.h - a histogram of durations from which percentiles are read. Pure.
#ifndef DIORAMA_TOOLS_CLI_LATENCY_H
#define DIORAMA_TOOLS_CLI_LATENCY_H

#include <stdint.h>

enum {
    LATENCY_STEPS = 64, // per power of two: times are known to 1.6 %, those under 64 us exactly
    LATENCY_BUCKETS = (32 - 5) * LATENCY_STEPS, // up to 2^32 us, more than an hour
};

// Embedded; all zero is a valid empty one.
struct latency {
    uint64_t counts[LATENCY_BUCKETS];
    uint64_t count;
    uint64_t largest_us;
};

void latency_note(struct latency *self, uint64_t time_us);
void latency_add(struct latency *self, const struct latency *other);

// The time that `share` (0 to 1) of all durations did not exceed, rounded up to the end of its
// bucket; 0 if there are none.
uint64_t latency_within(const struct latency *self, double share);

#endif
