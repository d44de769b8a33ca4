// series.h - what the server did and held in each second of the last hour: named series that are
// read from the metrics once a second. One thread samples, any reads.
#ifndef DIORAMA_PROTO_MESSAGE_SERIES_H
#define DIORAMA_PROTO_MESSAGE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/limits.h"

// How a series follows from cells of the metrics, or from what the system knows of the process.
enum series_kind {
    SERIES_RATE,      // how much counters rose, a second
    SERIES_LEVEL,     // the sum of gauges
    SERIES_QUANTILE,  // of the times that histograms saw in that second, in ms; often there is none
    SERIES_MEMORY,    // resident, in bytes
    SERIES_PROCESSOR, // 100 = one processor all the time
};

struct series_row {
    const char *name;
    const char *unit; // "" = a number of things
    enum series_kind kind;
    unsigned first, count, stride; // the cells, or first cells of histograms
    double share;                  // of a quantile
};

enum { SERIES_MOST = 64 }; // a set of them is a mask of bits

extern const struct series_row series_rows[];
extern const unsigned series_count;

// The place of the series with this name of `size` bytes, or series_count.
unsigned series_find(const char *name, size_t size);

// Takes a sample where a second of clock_now_ms has begun since the last call. The first call is
// what rates are measured from. Seconds that were left out have NAN.
void series_sample(uint64_t now_ms);

// A copy of the newest samples.
struct series_window {
    unsigned count;    // of samples, all series alike
    uint64_t until_us; // calendar: when the last one was taken; 0 = there is none
    uint64_t second;   // of clock_now_ms, that the last one is of
    double *values;    // owned; those of one series after another, oldest first; NAN = unknown
};

// Those of the wanted series (a bit for each place), at most `seconds` of them.
void series_window_take(uint64_t wanted, unsigned seconds, struct series_window *ret_window);
void series_window_finish(struct series_window *self);

#endif
