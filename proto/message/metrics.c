// metrics.c - the stripes, and their Prometheus text. Any thread.
#include "proto/message/metrics.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    STRIPES = 16,
    ACTOR_NAME_SIZE = 24,
    LABELS_SIZE = 96,
};

enum metric_kind { KIND_COUNT, KIND_GAUGE, KIND_HISTOGRAM };

enum metric_scale { SCALE_TIME, SCALE_SIZE }; // of a histogram

// The cells of a row: `places` times one number or one histogram.
struct metric_shape {
    unsigned places;
    enum metric_scale scale;
    bool (*label)(unsigned place, char *ret_labels); // NULL if there is one place
};

struct metric_row {
    const char *metric;
    const char *label; // `name="value"`, or ""
    const char *about; // only in the first row of a metric
    enum metric_kind kind;
    const struct metric_shape *shape;
    unsigned cell; // the first one
};

enum { LAST = METRIC_BUCKETS - 1 };

static const char *const kind_names[] = {"counter", "gauge", "histogram"};

// The upper bounds of all buckets except the last, by scale.
static const uint64_t bounds[][LAST] = {
    [SCALE_TIME] = {100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000,
                    1000000, 2500000, 10000000},
    [SCALE_SIZE] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384},
};

static _Alignas(64) _Atomic uint64_t stripes[STRIPES][(METRIC_CELLS + 7) / 8 * 8];

_Thread_local _Atomic uint64_t *metric_stripe;

_Atomic uint64_t *
metric_stripe_choose(void)
{
    static _Atomic unsigned next;
    metric_stripe = stripes[atomic_fetch_add(&next, 1) % STRIPES];
    return metric_stripe;
}

uint64_t
counter_get(unsigned cell)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < STRIPES; i++)
        sum += atomic_load_explicit(&stripes[i][cell], memory_order_relaxed);
    return sum;
}

static void
observe(unsigned histogram, enum metric_scale scale, uint64_t value)
{
    unsigned bucket = 0;
    while (bucket < LAST && value > bounds[scale][bucket])
        bucket++;
    metric_add(histogram + bucket, 1);
    metric_add(histogram + METRIC_BUCKETS, value);
}

void
time_observe(enum metric_cell histogram, uint64_t time_us)
{
    observe(histogram, SCALE_TIME, time_us);
}

void
actor_time_observe(enum metric_cell histogram, unsigned actor, uint64_t time_us)
{
    observe(histogram + actor * METRIC_TIME, SCALE_TIME, time_us);
}

void
size_observe(enum metric_cell histogram, uint64_t size)
{
    observe(histogram, SCALE_SIZE, size);
}

void
answer_observe(unsigned operation, int status, uint64_t time_us)
{
    unsigned hundreds = status >= 200 && status < 600 ? (unsigned)status / 100 - 2 : 3;
    metric_add(COUNT_HTTP_REQUESTS + operation * METRIC_STATUSES + hundreds, 1);
    observe(HISTOGRAM_HTTP_TIME + operation * METRIC_TIME, SCALE_TIME, time_us);
}

double
time_quantile(const uint64_t counts[METRIC_BUCKETS], double share)
{
    double total = 0, below = 0;
    for (unsigned i = 0; i < METRIC_BUCKETS; i++)
        total += (double)counts[i];
    if (total == 0)
        return NAN;
    for (unsigned i = 0; i < LAST; i++) {
        double lower = i ? (double)bounds[SCALE_TIME][i - 1] : 0,
               upper = (double)bounds[SCALE_TIME][i];
        double count = (double)counts[i];
        if (count > 0 && below + count >= share * total)
            return (lower + (upper - lower) * (share * total - below) / count) / 1e6;
        below += count;
    }
    return (double)bounds[SCALE_TIME][LAST - 1] / 1e6;
}

// The names of actors, by place.
static pthread_mutex_t actors_lock = PTHREAD_MUTEX_INITIALIZER;
static char actors[METRIC_ACTORS][ACTOR_NAME_SIZE];

unsigned
metric_actor(const char *name)
{
    pthread_mutex_lock(&actors_lock);
    unsigned place = 1;
    while (place < METRIC_ACTORS && actors[place][0] && strcmp(actors[place], name) != 0)
        place++;
    if (place < METRIC_ACTORS)
        snprintf(actors[place], ACTOR_NAME_SIZE, "%s", name);
    pthread_mutex_unlock(&actors_lock);
    return place < METRIC_ACTORS ? place : 0;
}

// Text

// The labels of a place, without braces, behind those of the row; false if it is not shown.

// The operation in small letters. Operations between actors are not shown.
static bool
operation_label(unsigned operation, char *ret_labels)
{
    const char *name = operation < OPERATION_COUNT ? operation_rows[operation].name : "NONE";
    if (operation < OPERATION_COUNT && operation_rows[operation].access == ACCESS_INTERNAL)
        return false;
    size_t size = (size_t)snprintf(ret_labels, LABELS_SIZE, "operation=\"%s\"", name);
    for (char *at = ret_labels + sizeof "operation=\"" - 1; at < ret_labels + size; at++)
        *at = (char)tolower((unsigned char)*at);
    return true;
}

static bool
answer_label(unsigned place, char *ret_labels)
{
    if (!operation_label(place / METRIC_STATUSES, ret_labels))
        return false;
    size_t size = strlen(ret_labels);
    snprintf(ret_labels + size, LABELS_SIZE - size, ",status=\"%uxx\"",
             place % METRIC_STATUSES + 2);
    return true;
}

static bool
actor_label(unsigned place, char *ret_labels)
{
    size_t size = strlen(ret_labels);
    snprintf(ret_labels + size, LABELS_SIZE - size, "%sactor=\"%s\"", size ? "," : "",
             actors[place]);
    return actors[place][0] != '\0';
}

static bool
budget_label(unsigned budget, char *ret_labels)
{
    snprintf(ret_labels, LABELS_SIZE, "budget=\"%s\"", budget_rows[budget].name);
    return true;
}

static const struct metric_shape shape_ONE = {.places = 1};
static const struct metric_shape shape_ANSWERS = {.places = METRIC_ANSWERS, .label = answer_label};
static const struct metric_shape shape_ACTORS = {.places = METRIC_ACTORS, .label = actor_label};
static const struct metric_shape shape_TIME = {.places = 1, .scale = SCALE_TIME};
static const struct metric_shape shape_TIMES = {
    .places = METRIC_OPERATIONS, .scale = SCALE_TIME, .label = operation_label};
static const struct metric_shape shape_BUDGETS = {.places = METRIC_BUDGETS, .label = budget_label};
static const struct metric_shape shape_ACTOR_TIMES = {
    .places = METRIC_ACTORS, .scale = SCALE_TIME, .label = actor_label};
static const struct metric_shape shape_SIZE = {.places = 1, .scale = SCALE_SIZE};

static const struct metric_row rows[] = {
#define X(kind, name, shape, metric, label, about)                                                 \
    {metric, label, about, KIND_##kind, &shape_##shape, kind##_##name},
    METRICS(X)
#undef X
};

static void
print_number(const struct metric_row *row, unsigned place, const char *labels, struct buffer *out)
{
    const char *open = labels[0] ? "{" : "", *close = labels[0] ? "}" : "";
    uint64_t number = counter_get(row->cell + place);
    // A gauge that is lowered before its raise is seen is shown as zero, not below.
    if (row->kind == KIND_GAUGE && (int64_t)number < 0)
        number = 0;
    buffer_put_format(out, "%s%s%s%s %" PRIu64 "\n", row->metric, open, labels, close, number);
}

static void
print_bucket(const struct metric_row *row, const char *labels, unsigned bucket, uint64_t count,
             struct buffer *out)
{
    char bound[24] = "+Inf";
    if (bucket < LAST && row->shape->scale == SCALE_TIME)
        snprintf(bound, sizeof bound, "%g", (double)bounds[SCALE_TIME][bucket] / 1e6);
    else if (bucket < LAST)
        snprintf(bound, sizeof bound, "%" PRIu64, bounds[row->shape->scale][bucket]);
    buffer_put_format(out, "%s_bucket{%s%sle=\"%s\"} %" PRIu64 "\n", row->metric, labels,
                      labels[0] ? "," : "", bound, count);
}

static void
print_histogram(const struct metric_row *row, unsigned place, const char *labels,
                struct buffer *out)
{
    unsigned cell = row->cell + place * METRIC_TIME;
    const char *open = labels[0] ? "{" : "", *close = labels[0] ? "}" : "";
    uint64_t count = 0;
    for (unsigned i = 0; i < METRIC_BUCKETS; i++) {
        count += counter_get(cell + i);
        print_bucket(row, labels, i, count, out);
    }
    double sum = (double)counter_get(cell + METRIC_BUCKETS);
    buffer_put_format(out, "%s_sum%s%s%s %.6f\n", row->metric, open, labels, close,
                      row->shape->scale == SCALE_TIME ? sum / 1e6 : sum);
    buffer_put_format(out, "%s_count%s%s%s %" PRIu64 "\n", row->metric, open, labels, close, count);
}

static void
print_place(const struct metric_row *row, unsigned place, struct buffer *out)
{
    char labels[LABELS_SIZE];
    snprintf(labels, sizeof labels, "%s", row->label);
    if (row->shape->label && !row->shape->label(place, labels))
        return;
    if (row->kind == KIND_HISTOGRAM)
        print_histogram(row, place, labels, out);
    else
        print_number(row, place, labels, out);
}

void
metrics_print(struct buffer *out)
{
    pthread_mutex_lock(&actors_lock);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct metric_row *row = &rows[i];
        if (row->about[0])
            buffer_put_format(out, "# HELP %s %s\n# TYPE %s %s\n", row->metric, row->about,
                              row->metric, kind_names[row->kind]);
        for (unsigned place = 0; place < row->shape->places; place++)
            print_place(row, place, out);
    }
    pthread_mutex_unlock(&actors_lock);
}
