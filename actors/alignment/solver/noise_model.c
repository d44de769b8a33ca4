// noise_model.c - medians of residuals by method and lag (noise_model.h). Medians, because some of
// the corrections are wrong.
#include "actors/alignment/solver/noise_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/posegraph.h"
#include "proto/base/memory.h"

enum {
    LEAST_FREEDOM = 20, // observations beyond what the poses need, else nothing is estimated
    NOISE_LAGS = 8,     // classes of lags; the last one is for all that are longer
    MOST_LINKS = 64, // of which the noise of the poses is asked: a fraction of a millisecond each
    FIT_ROUNDS = 4,  // of a line whose points are as noisy as they are high
};

#define MEDIAN_CHI_SQUARE 2.366 // of three degrees of freedom
#define TRUST 10                // so many observations count as much as the claim
#define TOLERANCE 1.15          // factors nearer to what was claimed change nothing
#define FINE_TOLERANCE 1.05     // nor those nearer to an estimate of before
#define LEAST_NOISE 0.05        // of a factor: however much they drift, corrections have noise too

// The squared residual of an observation over what was claimed; of translation and rotation. The
// poses took a part of it: their own variance, for a single axis, over what was claimed.
struct sample {
    uint64_t method;
    uint32_t lag;
    double weight;
    double ratios[2];
    bool has_taken;
    double taken[2];
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

static const struct noise_method *
find_method(const struct noise_model *self, uint64_t method)
{
    size_t low = 0, high = self->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->methods[middle].method < method)
            low = middle + 1;
        else
            high = middle;
    }
    static const struct noise_method as_claimed = {.bases = {1, 1}};
    bool is_known = low < self->count && self->methods[low].method == method;
    return is_known ? &self->methods[low] : &as_claimed;
}

void
noise_model_factors(const struct noise_model *self, uint64_t method, uint32_t lag,
                    double *ret_factors)
{
    const struct noise_method *found = find_method(self, method);
    for (int part = 0; part < 2; part++)
        ret_factors[part] = found->bases[part] + (lag > 1 ? lag - 1 : 0) * found->steps[part];
}

double
noise_model_factor(const struct noise_model *self, uint64_t method)
{
    double factors[2];
    noise_model_factors(self, method, 1, factors);
    return sqrt((factors[0] + factors[1]) / 2);
}

double
noise_model_noise(const struct noise_model *self, uint64_t method, int part)
{
    const struct noise_method *found = find_method(self, method);
    return fmax(found->bases[part] - found->steps[part], LEAST_NOISE * found->bases[part]);
}

double
noise_model_drift(const struct noise_model *self, uint64_t method, int part)
{
    return find_method(self, method)->steps[part];
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
    *ret_sample = (struct sample){.method = item->method, .lag = item->lag, .weight = item->weight};
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

// What the poses took of the residuals of an observation: their covariance, at the device.
static void
take_share(const struct observation *item, const double *covariance, struct sample *sample)
{
    double there[36];
    struct rigid inwards = rigid_invert(&item->stand);
    rigid_carry_covariance(&inwards, covariance, there);
    sample->has_taken = true;
    for (int i = 0; i < 6; i++)
        sample->taken[i / 3] += there[i * 7] / (3 * item->claimed[i / 3]);
}

// The residuals that are looked at, and where they are from.
struct residuals {
    const struct observations *observations;
    const struct rigid *poses;
    const kept_factor_t *factor;
    bool is_any; // of rejected observations too
};

static bool
is_looked_at(const struct residuals *self, const struct observation *item)
{
    return !item->is_past && (self->is_any || item->is_accepted);
}

// Those of a link. Returns how many.
static size_t
list_link(const struct residuals *self, const struct link *link, bool is_asked,
          struct sample *ret_samples)
{
    double covariance[36];
    size_t count = 0;
    if (is_asked)
        kept_factor_covariance(self->factor, self->poses, link->a, link->b, covariance);
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        const struct observation *item = &self->observations->items[i];
        if (!is_looked_at(self, item))
            continue;
        take_sample(item, self->poses, &ret_samples[count]);
        if (is_asked)
            take_share(item, covariance, &ret_samples[count]);
        count++;
    }
    return count;
}

// Those of all links. Returns how many.
static size_t
list_samples(const struct residuals *self, struct sample *ret_samples)
{
    size_t count = 0, link_count = self->observations->link_count, asked = 0;
    for (size_t i = 0; i < link_count; i++) {
        bool is_asked = self->factor && asked * link_count <= i * MOST_LINKS;
        asked += is_asked;
        count += list_link(self, &self->observations->links[i], is_asked, ret_samples + count);
    }
    qsort(ret_samples, count, sizeof *ret_samples, compare_samples);
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

// The samples of a method whose lags are of one class.
struct lag_class {
    double steps;       // more than one, on average
    double weight;      // of all
    double variance[2]; // times the claimed one
};

// What the poses took of them on average, as far as that was asked.
static double
taken_of(const struct sample *samples, size_t count, int part)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < count; i++)
        if (samples[i].has_taken) {
            sum += samples[i].weight * samples[i].taken[part];
            weight += samples[i].weight;
        }
    return weight > 0 ? sum / weight : 0;
}

// Returns how many classes there are.
static size_t
classify(const struct sample *samples, size_t count, struct weighted *scratch,
         struct lag_class *ret_classes)
{
    size_t classes = 0;
    for (size_t first = 0, end; first < count; first = end) {
        struct lag_class *next = &ret_classes[classes++];
        *next = (struct lag_class){0};
        for (end = first; end < count && (samples[end].lag == samples[first].lag ||
                                          samples[first].lag >= NOISE_LAGS);
             end++) {
            next->weight += samples[end].weight;
            next->steps += samples[end].weight * (samples[end].lag - 1.0);
        }
        next->steps /= next->weight;
        for (int part = 0; part < 2; part++)
            next->variance[part] =
                median_of(samples + first, end - first, part, scratch) / MEDIAN_CHI_SQUARE +
                taken_of(samples + first, end - first, part);
    }
    return classes;
}

// A line through the variances of the classes: y = base + step * steps, by weighted least squares,
// as a variance that is estimated is as noisy as it is large.
static void
fit_line(const struct lag_class *classes, size_t count, int part, double *ret_base,
         double *ret_step)
{
    *ret_base = 1;
    *ret_step = 0;
    for (int round = 0; round < FIT_ROUNDS; round++) {
        double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
        for (size_t i = 0; i < count; i++) {
            double x = classes[i].steps, y = classes[i].variance[part];
            double height = round ? *ret_base + x * *ret_step : y;
            double weight = classes[i].weight / fmax(height * height, LEAST_NOISE);
            s += weight, sx += weight * x, sxx += weight * x * x;
            sy += weight * y, sxy += weight * x * y;
        }
        double spread = s * sxx - sx * sx;
        *ret_step = spread > 1e-9 * s * s ? fmax((s * sxy - sx * sy) / spread, 0) : 0;
        *ret_base = fmax((sy - *ret_step * sx) / s, 0);
    }
}

// Few observations say little: the factors are between what they say and what was claimed.
static void
estimate_method(const struct sample *samples, size_t count, struct weighted *scratch,
                struct noise_method *ret_method)
{
    struct lag_class classes[NOISE_LAGS + 1];
    size_t class_count = classify(samples, count, scratch, classes);
    double weight = 0, farther = 0;
    for (size_t i = 0; i < class_count; i++) {
        weight += classes[i].weight;
        farther += classes[i].steps > 0 ? classes[i].weight : 0;
    }
    ret_method->method = samples[0].method;
    for (int part = 0; part < 2; part++) {
        double base, step;
        fit_line(classes, class_count, part, &base, &step);
        base = (TRUST + weight * base) / (TRUST + weight);
        ret_method->bases[part] = fmax(base, 1);
        ret_method->steps[part] = fmin(step * farther / (TRUST + farther), ret_method->bases[part]);
    }
}

static bool
is_near(double a, double b, double tolerance)
{
    return a < b * tolerance && b < a * tolerance;
}

// Whether the models differ for a method that the first one has.
static bool
differs(const struct noise_model *self, const struct noise_model *other, double tolerance)
{
    for (size_t i = 0; i < self->count; i++)
        for (uint32_t lag = 1; lag <= NOISE_LAGS; lag++) {
            double one[2], two[2];
            noise_model_factors(self, self->methods[i].method, lag, one);
            noise_model_factors(other, self->methods[i].method, lag, two);
            for (int part = 0; part < 2; part++)
                if (!is_near(one[part], two[part], tolerance))
                    return true;
        }
    return false;
}

// Those of accepted observations, or of all where many are rejected. Returns how many.
static size_t
take_samples(const struct observations *observations, const struct rigid *poses,
             const kept_factor_t *factor, struct sample *ret_samples)
{
    const struct residuals residuals = {
        .observations = observations,
        .poses = poses,
        .factor = factor,
        .is_any = noise_model_contrary_share(observations) > ALIGNMENT_CONTRARY,
    };
    return list_samples(&residuals, ret_samples);
}

static void
estimate_all(const struct sample *samples, size_t count, uint32_t scene_count,
             struct noise_model *ret_model)
{
    *ret_model = (struct noise_model){0};
    if (count < scene_count - 1 + LEAST_FREEDOM)
        return;
    struct weighted *scratch = memory_take(count * sizeof *scratch);
    ret_model->methods = memory_take(count * sizeof *ret_model->methods);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && samples[end].method == samples[first].method;)
            end++;
        estimate_method(samples + first, end - first, scratch,
                        &ret_model->methods[ret_model->count++]);
    }
    free(scratch);
}

static bool
is_other(const struct noise_model *self, const struct noise_model *next)
{
    double tolerance = self->count ? FINE_TOLERANCE : TOLERANCE;
    return differs(next, self, tolerance) || differs(self, next, tolerance);
}

bool
noise_model_estimate(struct noise_model *self, const struct observations *observations,
                     uint32_t scene_count, const struct rigid *poses, const kept_factor_t *factor)
{
    struct noise_model next;
    struct sample *samples = memory_take(observations->count * sizeof *samples + 1);
    size_t count = take_samples(observations, poses, factor, samples);
    estimate_all(samples, count, scene_count, &next);
    bool is_new = is_other(self, &next);
    if (is_new) {
        noise_model_finish(self);
        *self = next;
    } else
        noise_model_finish(&next);
    free(samples);
    return is_new;
}

// Estimates with the least and with the most that the poses may have taken.
bool
noise_model_is_settled(const struct noise_model *self, const struct observations *observations,
                       uint32_t scene_count, const struct rigid *poses, const kept_factor_t *factor)
{
    double strain = kept_factor_strain(factor, poses), share = 1;
    if (strain >= 1)
        return false;
    const double bounds[] = {1 / ((1 + strain) * (1 + strain)), 1 / ((1 - strain) * (1 - strain))};
    struct sample *samples = memory_take(observations->count * sizeof *samples + 1);
    size_t count = take_samples(observations, poses, factor, samples);
    bool is_settled = true;
    for (int bound = 0; bound < 2; bound++) {
        struct noise_model next;
        for (size_t i = 0; i < count * 2; i++)
            samples[i / 2].taken[i % 2] *= bounds[bound] / share;
        share = bounds[bound];
        estimate_all(samples, count, scene_count, &next);
        is_settled = is_settled && !is_other(self, &next);
        noise_model_finish(&next);
    }
    free(samples);
    return is_settled;
}
