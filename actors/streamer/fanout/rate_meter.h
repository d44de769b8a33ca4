// rate_meter.h - how many a second, as a mean of the last four seconds. It counts in two windows,
// so it takes 16 bytes and needs no timer. Pure: the time is passed in.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_RATE_METER_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_RATE_METER_H

#include <stdint.h>

enum { RATE_METER_BITS = 22 }; // of the microseconds of a window: 4.2 s

// Embedded; all zero is nothing counted.
struct rate_meter {
    uint64_t window; // that is being counted
    uint32_t count, before;
};

// Moves on to the window of `now_us`.
static inline void
rate_meter_turn(struct rate_meter *self, uint64_t now_us)
{
    uint64_t window = now_us >> RATE_METER_BITS;
    if (window == self->window)
        return;
    self->before = window == self->window + 1 ? self->count : 0;
    self->count = 0;
    self->window = window;
}

static inline void
rate_meter_add(struct rate_meter *self, uint64_t now_us, uint32_t more)
{
    rate_meter_turn(self, now_us);
    self->count = more > UINT32_MAX - self->count ? UINT32_MAX : self->count + more;
}

// The mean a second.
double rate_meter_per_s(const struct rate_meter *self, uint64_t now_us);

#endif
