// series.c - a table of series, and a ring of samples for each.

#include "proto/message/series.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum { RING = LIMIT_SERIES_SECONDS, SERVER_ERROR = METRIC_STATUSES - 1, CLIENT_ERROR = 2 };

#define CELL(name) .first = (name), .count = 1, .stride = 1
#define CELLS(name) .first = (name), .count = name##_END - (name) + 1, .stride = 1
#define UNTIL(name, last) .first = (name), .count = (last) - (name) + 1, .stride = 1
#define ANSWERS(status)                                                                            \
    .first = COUNT_HTTP_REQUESTS + (status), .count = METRIC_OPERATIONS, .stride = METRIC_STATUSES
#define TIMES(name, share_)                                                                        \
    .first = (name), .count = (name##_END - (name) + 1) / METRIC_TIME, .stride = METRIC_TIME,      \
    .share = (share_)

// clang-format off
const struct series_row series_rows[] = {
    {"http_requests",       "1/s",   SERIES_RATE,      CELLS(COUNT_HTTP_REQUESTS)},
    {"http_client_errors",  "1/s",   SERIES_RATE,      ANSWERS(CLIENT_ERROR)},
    {"http_server_errors",  "1/s",   SERIES_RATE,      ANSWERS(SERVER_ERROR)},
    {"http_p50",            "ms",    SERIES_QUANTILE,  TIMES(HISTOGRAM_HTTP_TIME, 0.5)},
    {"http_p99",            "ms",    SERIES_QUANTILE,  TIMES(HISTOGRAM_HTTP_TIME, 0.99)},
    {"http_connections",    "",      SERIES_LEVEL,     CELL(GAUGE_HTTP_CONNECTIONS)},
    {"http_cut",            "1/s",   SERIES_RATE,      UNTIL(COUNT_HTTP_CUT_LATE, COUNT_HTTP_CUT_CROWDED)},
    {"http_parse_memory",   "bytes", SERIES_LEVEL,     CELL(GAUGE_PARSE_BYTES)},
    {"streams",             "",      SERIES_LEVEL,     CELL(GAUGE_HTTP_STREAMS)},
    {"stream_events",       "1/s",   SERIES_RATE,      CELL(COUNT_STREAM_EVENTS)},
    {"actor_queue",         "",      SERIES_LEVEL,     CELLS(GAUGE_ACTOR_QUEUE)},
    {"turn_p99",            "ms",    SERIES_QUANTILE,  TIMES(HISTOGRAM_TURN_CPU, 0.99)},
    {"commits",             "1/s",   SERIES_RATE,      CELL(COUNT_COMMITS)},
    {"commits_failed",      "1/s",   SERIES_RATE,      CELL(COUNT_COMMITS_FAILED)},
    {"commit_p99",          "ms",    SERIES_QUANTILE,  TIMES(HISTOGRAM_COMMIT_TIME, 0.99)},
    {"store_memory",        "bytes", SERIES_LEVEL,     UNTIL(GAUGE_STORE_MEMTABLES, GAUGE_STORE_TABLES)},
    {"scenes",              "",      SERIES_LEVEL,     CELL(GAUGE_SCENES)},
    {"scenes_loaded",       "",      SERIES_LEVEL,     CELL(GAUGE_SCENES_LOADED)},
    {"scene_memory",        "bytes", SERIES_LEVEL,     CELL(GAUGE_SCENE_BYTES)},
    {"objects_loaded",      "",      SERIES_LEVEL,     CELL(GAUGE_OBJECTS_LOADED)},
    {"devices",             "",      SERIES_LEVEL,     CELL(GAUGE_DEVICES)},
    {"alignment_unsolved",  "",      SERIES_LEVEL,     CELL(GAUGE_UNSOLVED)},
    {"events",              "1/s",   SERIES_RATE,      CELL(COUNT_EVENTS)},
    {"events_dropped",      "1/s",   SERIES_RATE,      CELL(COUNT_EVENTS_DROPPED)},
    {"udp_in",              "1/s",   SERIES_RATE,      CELL(COUNT_UDP_IN)},
    {"udp_applied",         "1/s",   SERIES_RATE,      CELL(COUNT_UDP_IN_APPLIED)},
    {"udp_dropped",         "1/s",   SERIES_RATE,      UNTIL(COUNT_UDP_DROP_SIZE, COUNT_UDP_DROP_SUPERSEDED)},
    {"udp_out",             "1/s",   SERIES_RATE,      UNTIL(COUNT_UDP_OUT, COUNT_UDP_OUT_PACKED)},
    {"udp_out_failed",      "1/s",   SERIES_RATE,      CELL(COUNT_UDP_OUT_FAILED)},
    {"pub_subscribers",     "",      SERIES_LEVEL,     CELL(GAUGE_PUB_SUBSCRIBERS)},
    {"pub_out",             "1/s",   SERIES_RATE,      CELL(COUNT_PUB_SENT)},
    {"pub_dropped",         "1/s",   SERIES_RATE,      CELL(COUNT_PUB_DROPPED)},
    {"budget_refused",      "1/s",   SERIES_RATE,      CELLS(COUNT_BUDGET_REFUSED)},
    {"memory",              "bytes", SERIES_MEMORY,    .count = 0},
    {"processor",           "%",     SERIES_PROCESSOR, .count = 0},
};
// clang-format on

enum { COUNT = sizeof series_rows / sizeof series_rows[0] };
_Static_assert(sizeof series_rows / sizeof series_rows[0] <= SERIES_MOST,
               "a set of series is a mask of 64 bits");

const unsigned series_count = COUNT;

// What the sampling thread read last: totals of counters, and of buckets of histograms.
static struct {
    uint64_t second;
    uint64_t totals[COUNT];
    uint64_t buckets[COUNT][METRIC_BUCKETS];
} last;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Under the lock.
static struct {
    unsigned next, known; // where the next sample goes; how many there are
    uint64_t until_us;
    uint64_t second;
    double values[COUNT][RING];
} ring;

unsigned
series_find(const char *name, size_t size)
{
    unsigned place = 0;
    while (place < COUNT && (strlen(series_rows[place].name) != size ||
                             memcmp(series_rows[place].name, name, size) != 0))
        place++;
    return place;
}

// --- sampling ---

static uint64_t
sum_cells(const struct series_row *row, unsigned offset)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < row->count; i++)
        sum += counter_get(row->first + i * row->stride + offset);
    return sum;
}

// How much the total has grown since the last sample.
static uint64_t
advance(uint64_t *total, uint64_t now)
{
    uint64_t grown = now - *total;
    *total = now;
    return grown;
}

static double
quantile_ms(unsigned place)
{
    uint64_t grown[METRIC_BUCKETS];
    for (unsigned i = 0; i < METRIC_BUCKETS; i++)
        grown[i] = advance(&last.buckets[place][i], sum_cells(&series_rows[place], i));
    return 1000 * time_quantile(grown, series_rows[place].share);
}

// The value of a series now, and over the seconds since the last sample.
static double
measure(unsigned place, double seconds)
{
    const struct series_row *row = &series_rows[place];
    switch (row->kind) {
    case SERIES_RATE:
        return (double)advance(&last.totals[place], sum_cells(row, 0)) / seconds;
    case SERIES_LEVEL: {
        // A gauge that is lowered before its raise is seen is shown as zero, not below.
        int64_t level = (int64_t)sum_cells(row, 0);
        return level > 0 ? (double)level : 0;
    }
    case SERIES_QUANTILE:
        return quantile_ms(place);
    case SERIES_MEMORY:
        return memory_resident();
    default:
        return (double)advance(&last.totals[place], clock_process_us()) / 1e4 / seconds;
    }
}

static void
put(const double *values)
{
    for (unsigned place = 0; place < COUNT; place++)
        ring.values[place][ring.next] = values ? values[place] : NAN;
    ring.next = (ring.next + 1) % RING;
    if (ring.known < RING)
        ring.known++;
}

void
series_sample(uint64_t now_ms)
{
    uint64_t second = now_ms / 1000, left_out = second - last.second - 1;
    bool is_first = last.second == 0;
    double values[COUNT];
    if (second == last.second)
        return;
    for (unsigned place = 0; place < COUNT; place++)
        values[place] = measure(place, is_first ? 1 : (double)(second - last.second));
    last.second = second;
    if (is_first)
        return;
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; i < left_out && i < RING; i++)
        put(NULL);
    put(values);
    ring.until_us = clock_calendar_us();
    ring.second = second;
    pthread_mutex_unlock(&lock);
}

// --- reading ---

void
series_window_take(uint64_t wanted, unsigned seconds, struct series_window *ret_window)
{
    double *to = memory_take_zeroed((size_t)COUNT * seconds * sizeof *to);
    pthread_mutex_lock(&lock);
    unsigned count = seconds < ring.known ? seconds : ring.known;
    *ret_window = (struct series_window){count, ring.until_us, ring.second, to};
    unsigned first = (ring.next + RING - count) % RING;
    unsigned until_wrap = count < RING - first ? count : RING - first;
    for (unsigned place = 0; place < COUNT; place++)
        if (wanted >> place & 1) {
            memcpy(to, &ring.values[place][first], until_wrap * sizeof *to);
            memcpy(to + until_wrap, ring.values[place], (count - until_wrap) * sizeof *to);
            to += count;
        }
    pthread_mutex_unlock(&lock);
}

void
series_window_finish(struct series_window *self)
{
    free(self->values);
    *self = (struct series_window){0};
}
