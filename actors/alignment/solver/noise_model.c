// noise_model.c - medians of residuals by method and lag (noise_model.h). Medians, because some of
// the corrections are wrong.
#include "actors/alignment/solver/noise_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum { LEAST_FREEDOM = 20 }; // observations beyond what the poses need, else nothing is estimated

#define MEDIAN_CHI_SQUARE 2.366 // of three degrees of freedom
#define TRUST 10                // so many observations count as much as the claim
#define TOLERANCE 1.15          // factors nearer to those of before change nothing

// The squared residual of an observation over what was claimed; of translation and rotation.
struct sample {
    uint64_t method;
    uint32_t lag;
    double weight;
    double ratios[2];
};

void
noise_model_finish(struct noise_model *self)
{
    free(self->methods);
    *self = (struct noise_model){0};
}

void
noise_model_copy(struct noise_model *self, const struct noise_model *other)
{
    noise_model_finish(self);
    self->count = other->count;
    self->methods = memory_take(other->count * sizeof *self->methods + 1);
    if (other->count)
        memcpy(self->methods, other->methods, other->count * sizeof *self->methods);
}

static uint32_t
class_of(uint32_t lag)
{
    return lag < 1 ? 0 : (lag < NOISE_LAGS ? lag : NOISE_LAGS) - 1;
}

void
noise_model_factors(const struct noise_model *self, uint64_t method, uint32_t lag,
                    double *ret_factors)
{
    size_t low = 0, high = self->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->methods[middle].method < method)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_known = low < self->count && self->methods[low].method == method;
    for (int part = 0; part < 2; part++)
        ret_factors[part] = is_known ? self->methods[low].factors[class_of(lag)][part] : 1;
}

double
noise_model_factor(const struct noise_model *self, uint64_t method)
{
    double factors[2];
    noise_model_factors(self, method, 1, factors);
    return sqrt((factors[0] + factors[1]) / 2);
}

double
noise_model_drift(const struct noise_model *self, uint64_t method)
{
    double one[2], two[2], sum = 0;
    noise_model_factors(self, method, 1, one);
    noise_model_factors(self, method, 2, two);
    for (int part = 0; part < 2; part++)
        sum += fmin(two[part] / one[part] - 1, 1);
    return sum / 2;
}

// --- samples ---

static int
compare_samples(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    if (left->method != right->method)
        return left->method < right->method ? -1 : 1;
    return (left->lag > right->lag) - (left->lag < right->lag);
}

// The residual as the device has it, where its noise is the same in all directions.
static void
take_sample(const struct observation *item, const struct rigid *poses, struct sample *ret_sample)
{
    struct rigid back = rigid_invert(&poses[item->b]);
    struct rigid motion = rigid_compose(&back, &poses[item->a]);
    struct rigid seen = rigid_invert(&item->motion);
    // At the device: stand^-1 * (motion * observed^-1) * stand.
    struct rigid error = rigid_compose(&motion, &seen), inwards = rigid_invert(&item->stand);
    error = rigid_compose(&error, &item->stand);
    error = rigid_compose(&inwards, &error);
    double twist[6];
    rigid_log(&error, twist);
    *ret_sample =
        (struct sample){.method = item->method, .lag = class_of(item->lag), .weight = item->weight};
    for (int i = 0; i < 6; i++)
        ret_sample->ratios[i / 3] += twist[i] * twist[i] / item->claimed[i / 3];
}

double
noise_model_contrary_share(const struct observations *observations)
{
    double current = 0, contrary = 0;
    for (size_t i = 0; i < observations->count; i++) {
        const struct observation *item = &observations->items[i];
        current += item->is_past ? 0 : item->weight;
        contrary += item->is_past || item->is_accepted ? 0 : item->weight;
    }
    return current > 0 ? contrary / current : 0;
}

// Those of accepted observations, or of all where many are rejected. Returns how many.
static size_t
list_samples(const struct observations *observations, const struct rigid *poses,
             struct sample *samples)
{
    size_t count = 0;
    bool is_any = noise_model_contrary_share(observations) > ALIGNMENT_CONTRARY;
    for (size_t i = 0; i < observations->count; i++)
        if (!observations->items[i].is_past && (is_any || observations->items[i].is_accepted))
            take_sample(&observations->items[i], poses, &samples[count++]);
    qsort(samples, count, sizeof *samples, compare_samples);
    return count;
}

// --- factors ---

struct weighted {
    double ratio, weight;
};

static int
compare_weighted(const void *a, const void *b)
{
    const struct weighted *left = a, *right = b;
    return (left->ratio > right->ratio) - (left->ratio < right->ratio);
}

// The weighted median, so that the many devices of one account do not count more than it does.
static double
median_of(const struct sample *samples, size_t count, int part, struct weighted *scratch)
{
    double sum = 0, passed = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        scratch[i] = (struct weighted){samples[i].ratios[part], samples[i].weight};
        sum += samples[i].weight;
    }
    qsort(scratch, count, sizeof *scratch, compare_weighted);
    for (; at + 1 < count; at++) {
        passed += scratch[at].weight;
        if (passed >= sum / 2)
            break;
    }
    return scratch[at].ratio;
}

// Those of one method, by lag. A longer lag is at least as noisy as a shorter one, and about as
// noisy where few tell.
static void
estimate_method(const struct sample *samples, size_t count, double left_over,
                struct weighted *scratch, struct noise_method *ret_method)
{
    double factors[2] = {1, 1};
    size_t first = 0;
    ret_method->method = samples[0].method;
    for (uint32_t lag = 0; lag < NOISE_LAGS; lag++) {
        size_t end = first;
        double weight = 0;
        for (; end < count && samples[end].lag == lag; end++)
            weight += samples[end].weight;
        for (int part = 0; part < 2 && end > first; part++) {
            double found = median_of(samples + first, end - first, part, scratch) /
                           (MEDIAN_CHI_SQUARE * left_over);
            double shrunk = (TRUST * factors[part] + weight * found) / (TRUST + weight);
            factors[part] = fmax(factors[part], shrunk);
        }
        memcpy(ret_method->factors[lag], factors, sizeof factors);
        first = end;
    }
}

static bool
is_near(double a, double b)
{
    return a < b * TOLERANCE && b < a * TOLERANCE;
}

// Whether the models differ for a method that the first one has.
static bool
differs(const struct noise_model *self, const struct noise_model *other)
{
    for (size_t i = 0; i < self->count; i++)
        for (uint32_t lag = 0; lag < NOISE_LAGS; lag++) {
            double factors[2];
            noise_model_factors(other, self->methods[i].method, lag + 1, factors);
            for (int part = 0; part < 2; part++)
                if (!is_near(self->methods[i].factors[lag][part], factors[part]))
                    return true;
        }
    return false;
}

bool
noise_model_estimate(struct noise_model *self, const struct observations *observations,
                     uint32_t scene_count, const struct rigid *poses)
{
    struct noise_model next = {0};
    struct sample *samples = memory_take(observations->count * sizeof *samples + 1);
    struct weighted *scratch = memory_take(observations->count * sizeof *scratch + 1);
    size_t count = list_samples(observations, poses, samples);
    if (count >= scene_count - 1 + LEAST_FREEDOM) {
        double left_over = 1 - (double)(scene_count - 1) / (double)count;
        next.methods = memory_take(count * sizeof *next.methods);
        for (size_t first = 0, end; first < count; first = end) {
            for (end = first + 1; end < count && samples[end].method == samples[first].method;)
                end++;
            estimate_method(samples + first, end - first, left_over, scratch,
                            &next.methods[next.count++]);
        }
    }
    free(samples);
    free(scratch);
    bool is_new = differs(&next, self) || differs(self, &next);
    if (is_new) {
        noise_model_finish(self);
        *self = next;
    } else
        noise_model_finish(&next);
    return is_new;
}
