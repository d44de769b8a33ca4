// observations.c - makes observations, orders them by link and finds their weights
// (observations.h).
#include "actors/alignment/solver/observations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/noise_model.h"
#include "actors/alignment/solver/session_weights.h"
#include "proto/base/memory.h"

// The sigmas that a device claims are limited to these.
#define LEAST_SIGMA_T 1e-3 // metres
#define MOST_SIGMA_T 1e3
#define LEAST_SIGMA_R 1e-3 // radians
#define MOST_SIGMA_R 3.0
#define ROUNDING 1e-9   // of a weight
#define LEAST_PART 1e-3 // of the weight: a pair that hardly counts still connects its scenes

// --- observations ---

int
correction_compare(const struct correction *one, const struct correction *other)
{
    if (one->device != other->device)
        return one->device < other->device ? -1 : 1;
    if (one->session != other->session)
        return one->session < other->session ? -1 : 1;
    if (one->time_us != other->time_us)
        return one->time_us < other->time_us ? -1 : 1;
    return strcmp(one->id, other->id);
}

static int
compare_standings(const void *a, const void *b)
{
    return correction_compare(((const struct standing *)a)->correction,
                              ((const struct standing *)b)->correction);
}

struct sorted_standing {
    struct standing standing;
    uint32_t index;
};

// Whether steps are told or not, corrections that count follow each other by one at least.
static uint32_t
lag_between(const struct sorted_standing *one, const struct sorted_standing *other)
{
    uint32_t order = (uint32_t)(other - one);
    uint32_t steps = other->standing.step - one->standing.step;
    return other->standing.step > one->standing.step && steps > order ? steps : order;
}

static bool
is_same_session(const struct correction *a, const struct correction *b)
{
    return a->device == b->device && a->session == b->session;
}

static double
between(double value, double low, double high)
{
    return value >= low ? fmin(value, high) : low; // NaN is the least
}

// The pose of a device between its own coordinates and the centre of the scene.
static struct rigid
centred(const struct standing *standing, const double *centres)
{
    struct rigid pose = standing->correction->pose;
    for (int i = 0; i < 3; i++)
        pose.translation[i] -= centres[standing->scene * 3 + (uint32_t)i];
    return pose;
}

// The variances of translation and rotation that a correction claims.
static void
claim_of(const struct correction *self, double *ret_variances)
{
    double sigma_t = between(self->sigma_t_m, LEAST_SIGMA_T, MOST_SIGMA_T);
    double sigma_r = between(self->sigma_r_rad, LEAST_SIGMA_R, MOST_SIGMA_R);
    ret_variances[0] = sigma_t * sigma_t;
    ret_variances[1] = sigma_r * sigma_r;
}

// The noise of both poses is given at the device, so on the right of its pose in b.
static void
inform(struct observation *self, const struct correction *a, const struct correction *b,
       const struct noise_model *noise)
{
    double claims[2][2], at_device[36] = {0}, adjoint[36], factors[2];
    claim_of(a, claims[0]);
    claim_of(b, claims[1]);
    noise_model_factors(noise, self->method, self->lag, factors);
    for (int part = 0; part < 2; part++) {
        self->claimed[part] = claims[0][part] + claims[1][part];
        self->variances[part] = self->claimed[part] * factors[part];
    }
    for (int i = 0; i < 6; i++)
        at_device[i * 7] = 1 / self->variances[i / 3];
    struct rigid back = rigid_invert(&self->stand);
    rigid_adjoint(&back, adjoint);
    matrix6_pull(adjoint, at_device, self->information);
}

// Rotations about the device and about the centre are as exact, and in all directions alike. So
// what rotations count more is added to their corner.
void
observations_inform(const struct observation *self, double *ret_information)
{
    for (int i = 0; i < MATRIX6_SIZE; i++)
        ret_information[i] = (1 + self->more[0]) * self->information[i];
    for (int i = 3; i < 6 && self->more[0] != self->more[1]; i++)
        ret_information[i * 7] += (self->more[1] - self->more[0]) / self->variances[1];
}

// What observations are made with.
struct pairing {
    const double *centres;
    const struct noise_model *noise;
    const struct effort *effort;
};

// `other` follows `one` among the corrections of their session.
static void
observe(struct observation *self, const struct sorted_standing *one,
        const struct sorted_standing *other, const struct pairing *pairing, double weight)
{
    bool is_ordered = one->standing.scene < other->standing.scene;
    const struct sorted_standing *from = is_ordered ? one : other, *to = is_ordered ? other : one;
    const struct correction *a = from->standing.correction, *b = to->standing.correction;
    struct rigid pose_a = centred(&from->standing, pairing->centres);
    struct rigid pose_b = centred(&to->standing, pairing->centres);
    uint32_t fade =
        from->standing.fade > to->standing.fade ? from->standing.fade : to->standing.fade;
    *self = (struct observation){
        .a = from->standing.scene,
        .b = to->standing.scene,
        .correction_a = from->index,
        .correction_b = to->index,
        .motion = rigid_between(&pose_a, &pose_b),
        .weight = weight * exp2(-(double)fade / FADE_STEPS),
        .device = a->device,
        .user = a->user > b->user ? a->user : b->user,
        .time_a_us = a->time_us,
        .time_b_us = b->time_us,
        .time_us = a->time_us > b->time_us ? a->time_us : b->time_us,
        .is_pinned = a->is_pinned || b->is_pinned,
        .stand = pose_b,
        .method = a->method == b->method ? a->method : a->method + b->method,
        .lag = lag_between(one, other),
    };
    inform(self, a, b, pairing->noise);
}

// The noise and the drift of `count` corrections of a session, of one part.
static void
list_noise(const struct sorted_standing *items, size_t count, const struct noise_model *noise,
           int part, struct session_noise *ret_items)
{
    double claims[2], next[2];
    for (size_t i = 0; i < count; i++) {
        const struct correction *correction = items[i].standing.correction;
        const struct sorted_standing *other = &items[i + 1 < count ? i + 1 : i];
        double step = noise_model_drift(noise, correction->method, part);
        claim_of(correction, claims);
        claim_of(other->standing.correction, next);
        ret_items[i].noise = noise_model_noise(noise, correction->method, part) * claims[part];
        ret_items[i].drift = step * lag_between(&items[i], other) * (claims[part] + next[part]);
    }
}

// The observations of a session with correction `index` and those behind it, `reach` of them, say
// no more together than the corrections do. Of a long session, those around it count alone.
static void
weigh_pairs(const struct sorted_standing *items, size_t count, size_t index, size_t reach,
            const struct noise_model *noise, struct observation *observations)
{
    struct session_noise around[OBSERVATIONS_ALL_PAIRS];
    double precisions[OBSERVATIONS_ALL_PAIRS];
    size_t half = OBSERVATIONS_ALL_PAIRS / 2, first = index > half ? index - half : 0;
    size_t size = count < OBSERVATIONS_ALL_PAIRS ? count : OBSERVATIONS_ALL_PAIRS;
    first = first + size > count ? count - size : first;
    for (int part = 0; part < 2; part++) {
        list_noise(items + first, size, noise, part, around);
        session_weights_find(around, size, index - first, precisions);
        for (size_t i = 0; i < reach; i++) {
            double weight = precisions[i] * observations[i].variances[part] * (double)size / 2;
            bool is_plain = fabs(weight - 1) < ROUNDING; // last digits stay as they were
            observations[i].more[part] = is_plain ? 0 : fmax(weight, LEAST_PART) - 1;
        }
    }
}

// n corrections make n (n - 1) / 2 observations, each of which counts 2 / n, and more or less where
// coordinates drift.
static size_t
pair_session(const struct sorted_standing *items, size_t count, const struct pairing *pairing,
             struct observation *ret_observations)
{
    bool is_short = count <= OBSERVATIONS_ALL_PAIRS;
    size_t most = is_short ? count : OBSERVATIONS_NEAR_PAIRS, made = 0;
    double weight = 2.0 / (double)(is_short ? count : OBSERVATIONS_ALL_PAIRS);
    for (size_t i = 0; i + 1 < count; i++) {
        size_t reach = count - i - 1 < most ? count - i - 1 : most;
        for (size_t j = 0; j < reach && ret_observations; j++)
            observe(&ret_observations[made + j], &items[i], &items[i + 1 + j], pairing, weight);
        if (ret_observations && count > 2)
            weigh_pairs(items, count, i, reach, pairing->noise, ret_observations + made);
        made += reach;
    }
    return made;
}

// Returns how many there are; `ret_observations` NULL only counts.
static size_t
pair_all(const struct sorted_standing *items, size_t count, const struct pairing *pairing,
         struct observation *ret_observations)
{
    size_t made = 0;
    for (size_t first = 0, end; first < count && !effort_is_stopped(pairing->effort); first = end) {
        for (end = first + 1; end < count; end++)
            if (!is_same_session(items[first].standing.correction, items[end].standing.correction))
                break;
        made += pair_session(items + first, end - first, pairing,
                             ret_observations ? ret_observations + made : NULL);
    }
    return made;
}

static int
compare_observations(const void *a, const void *b)
{
    const struct observation *left = a, *right = b;
    if (left->a != right->a)
        return left->a < right->a ? -1 : 1;
    if (left->b != right->b)
        return left->b < right->b ? -1 : 1;
    if (left->time_us != right->time_us)
        return left->time_us < right->time_us ? -1 : 1;
    if (left->correction_a != right->correction_a)
        return left->correction_a < right->correction_a ? -1 : 1;
    return (left->correction_b > right->correction_b) - (left->correction_b < right->correction_b);
}

// --- weights: the influence of a device or a user at one link is limited ---

// The precision that a device claims at a link, and the factor for its observations.
struct speaker {
    uint64_t device, user;
    double sum[2], largest[2]; // precision of translations and rotations
    double factor;
};

static int
compare_speakers(const void *a, const void *b)
{
    const struct speaker *left = a, *right = b;
    return (left->device > right->device) - (left->device < right->device);
}

static int
compare_users(const void *a, const void *b)
{
    const struct speaker *left = a, *right = b;
    if (left->user != right->user)
        return left->user < right->user ? -1 : 1;
    return compare_speakers(a, b);
}

static int
compare_numbers(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// Mean precision of the translation at the device, and of the rotation. The lower right corner has
// the lever in it: the rotation's precision is what the device's own matrix had there.
static void
precision_of(const struct observation *self, double *ret_precision)
{
    double covariance[36];
    ret_precision[0] = self->weight * (1 + self->more[0]) * self->information[0];
    ret_precision[1] = 0;
    if (matrix6_invert(self->information, covariance))
        ret_precision[1] = self->weight * (1 + self->more[1]) / covariance[21];
}

// One entry for each device, sorted. Returns how many.
static size_t
list_speakers(const struct observation *items, size_t count, struct speaker *speakers)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        speakers[i] = (struct speaker){.device = items[i].device, .user = items[i].user};
        precision_of(&items[i], speakers[i].sum);
        memcpy(speakers[i].largest, speakers[i].sum, sizeof speakers[i].sum);
    }
    qsort(speakers, count, sizeof *speakers, compare_speakers);
    for (size_t i = 0; i < count; i++) {
        struct speaker *last = kept ? &speakers[kept - 1] : NULL;
        if (!last || last->device != speakers[i].device) {
            speakers[kept++] = speakers[i];
            continue;
        }
        for (int part = 0; part < 2; part++) {
            last->sum[part] += speakers[i].sum[part];
            last->largest[part] = fmax(last->largest[part], speakers[i].largest[part]);
        }
    }
    for (size_t i = 0; i < kept; i++)
        speakers[i].factor = 1 / fmax(1, fmax(speakers[i].sum[0] / speakers[i].largest[0],
                                              speakers[i].sum[1] / speakers[i].largest[1]));
    return kept;
}

// The devices of one user, or one of nobody: the entries from `first` on.
static size_t
end_of_user(const struct speaker *speakers, size_t count, size_t first)
{
    size_t end = first + 1;
    while (speakers[first].user && end < count && speakers[end].user == speakers[first].user)
        end++;
    return end;
}

static double
sum_of(const struct speaker *speakers, size_t count, int part)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += speakers[i].sum[part] * speakers[i].factor;
    return sum;
}

// Limits all devices of a user together to what the median user says (the lower one of two).
static void
cap_users(struct speaker *speakers, size_t count)
{
    double *numbers = memory_take(count * sizeof *numbers);
    qsort(speakers, count, sizeof *speakers, compare_users);
    for (int part = 0; part < 2; part++) {
        size_t users = 0;
        for (size_t first = 0, end; first < count; first = end) {
            end = end_of_user(speakers, count, first);
            numbers[users++] = sum_of(speakers + first, end - first, part);
        }
        qsort(numbers, users, sizeof *numbers, compare_numbers);
        double most = numbers[(users - 1) / 2];
        for (size_t first = 0, end; first < count; first = end) {
            end = end_of_user(speakers, count, first);
            double sum = sum_of(speakers + first, end - first, part);
            for (size_t i = first; i < end && speakers[i].user && sum > most; i++)
                speakers[i].factor *= most / sum;
        }
    }
    free(numbers);
    qsort(speakers, count, sizeof *speakers, compare_speakers);
}

// Limits each device to OBSERVATIONS_LARGEST_RATIO times the median device (the lower one of two)
// or a device of default accuracy, whichever is more, whatever accuracy it claims.
static void
cap_ratios(struct speaker *speakers, size_t count)
{
    // Of two corrections with 5 cm and 1 degree.
    const double default_precision[] = {0.5 / (0.05 * 0.05), 0.5 / (0.01745 * 0.01745)};
    double *numbers = memory_take(count * sizeof *numbers);
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < count; i++)
            numbers[i] = speakers[i].sum[part] * speakers[i].factor;
        qsort(numbers, count, sizeof *numbers, compare_numbers);
        double most =
            OBSERVATIONS_LARGEST_RATIO * fmax(numbers[(count - 1) / 2], default_precision[part]);
        for (size_t i = 0; i < count; i++)
            if (speakers[i].sum[part] * speakers[i].factor > most)
                speakers[i].factor = most / speakers[i].sum[part];
    }
    free(numbers);
}

static void
weigh_link(struct observation *items, size_t count)
{
    struct speaker *speakers = memory_take(count * sizeof *speakers);
    size_t devices = list_speakers(items, count, speakers);
    cap_ratios(speakers, devices);
    cap_users(speakers, devices);
    for (size_t i = 0; i < count; i++) {
        const struct speaker key = {.device = items[i].device};
        const struct speaker *found =
            bsearch(&key, speakers, devices, sizeof *speakers, compare_speakers);
        if (!items[i].is_pinned)
            items[i].weight *= found->factor;
    }
    free(speakers);
}

// --- all of it ---

void
observations_index(struct observations *self)
{
    qsort(self->items, self->count, sizeof *self->items, compare_observations);
    self->link_count = 0;
    self->links = memory_resize(self->links, self->count * sizeof *self->links + 1);
    for (uint32_t i = 0; i < self->count; i++) {
        const struct observation *item = &self->items[i];
        struct link *last = self->link_count ? &self->links[self->link_count - 1] : NULL;
        if (last && last->a == item->a && last->b == item->b)
            last->count++;
        else
            self->links[self->link_count++] =
                (struct link){.a = item->a, .b = item->b, .first = i, .count = 1};
    }
}

void
observations_init(struct observations *self, const struct standing *standings, size_t count,
                  const double *centres, const struct noise_model *noise,
                  const struct effort *effort)
{
    const struct pairing pairing = {centres, noise, effort};
    *self = (struct observations){0};
    struct sorted_standing *items = memory_take(count * sizeof *items + 1);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct sorted_standing){standings[i], i};
    qsort(items, count, sizeof *items, compare_standings);
    self->count = pair_all(items, count, &pairing, NULL);
    self->items = memory_take(self->count * sizeof *self->items + 1);
    if (self->count)
        self->count = pair_all(items, count, &pairing, self->items);
    free(items);
    observations_index(self);
    for (size_t i = 0; i < self->link_count && !effort_is_stopped(effort); i++)
        if (self->links[i].count > 1)
            weigh_link(self->items + self->links[i].first, self->links[i].count);
}

void
observations_finish(struct observations *self)
{
    free(self->items);
    free(self->links);
    *self = (struct observations){0};
}
