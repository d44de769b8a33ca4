// rate_meter.c - the mean of a window that slides over the two that are counted (rate_meter.h).
#include "actors/streamer/fanout/rate_meter.h"

#define WINDOW_US (1U << RATE_METER_BITS)

double
rate_meter_per_s(const struct rate_meter *self, uint64_t now_us)
{
    struct rate_meter now = *self;
    rate_meter_turn(&now, now_us);
    double passed = (double)(now_us % WINDOW_US) / WINDOW_US;
    return (now.count + now.before * (1 - passed)) * 1e6 / WINDOW_US;
}
