// observation_fusion.c - robust fusion of the observations of a link (observation_fusion.h): it
// begins at the medoid and refines by iteratively reweighted least squares with the weights of
// Geman and McClure.
#include "actors/alignment/solver/observation_fusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/solver/matrix6.h"
#include "actors/alignment/solver/posegraph.h"
#include "proto/base/memory.h"

enum {
    MEDOID_CANDIDATES = 48, // of many observations, evenly spread; each is compared with others
    MEDOID_OTHERS = 192,
    MAX_STEPS = 20,
    JACOBI_SWEEPS = 30,
};
#define STEP_TOLERANCE 1e-12

// --- the mean of rotations ---

// One rotation of Jacobi's method, which makes m[p][q] zero.
static void
turn(double (*m)[4], double (*vectors)[4], int p, int q)
{
    if (m[p][q] == 0)
        return;
    double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    double tangent = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
    double cosine = 1 / hypot(tangent, 1), sine = tangent * cosine;
    for (int i = 0; i < 4; i++) {
        double left = m[i][p], right = m[i][q];
        m[i][p] = cosine * left - sine * right;
        m[i][q] = sine * left + cosine * right;
    }
    for (int i = 0; i < 4; i++) {
        double left = m[p][i], right = m[q][i];
        m[p][i] = cosine * left - sine * right;
        m[q][i] = sine * left + cosine * right;
        left = vectors[i][p], right = vectors[i][q];
        vectors[i][p] = cosine * left - sine * right;
        vectors[i][q] = sine * left + cosine * right;
    }
}

void
fusion_mean_rotation(const double (*quaternions)[4], const double *weights, size_t count,
                     double *ret_mean)
{
    double m[4][4] = {{0}}, vectors[4][4] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};
    for (size_t i = 0; i < count; i++)
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 4; column++)
                m[row][column] += weights[i] * quaternions[i][row] * quaternions[i][column];
    for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++)
                turn(m, vectors, p, q);
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = m[i][i] > m[largest][largest] ? i : largest;
    double sign = vectors[0][largest] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        ret_mean[i] = sign * vectors[i][largest];
}

// --- distances ---

// The twist from a motion to that of an observation.
static void
residual(const struct observation *self, const struct rigid *motion, double *ret_twist)
{
    struct rigid error = rigid_between(motion, &self->motion);
    rigid_log(&error, ret_twist);
}

double
fusion_chi_square(const struct observation *self, const struct rigid *motion)
{
    double twist[6];
    residual(self, motion, twist);
    return matrix6_form(self->information, twist);
}

// The chi-square of the difference of two noisy observations, approximated by a quarter of the sum
// of both views. One view is enough if it exceeds the gate alone.
static double
disagreement(const struct observation *a, const struct observation *b)
{
    double one = fusion_chi_square(a, &b->motion) / 4;
    return one > POSEGRAPH_GATE ? one : one + fusion_chi_square(b, &a->motion) / 4;
}

// A device and its user.
struct voice {
    uint64_t user, device;
};

static int
compare_voices(const void *a, const void *b)
{
    const struct voice *left = a, *right = b;
    if (left->user != right->user)
        return left->user < right->user ? -1 : 1;
    return (left->device > right->device) - (left->device < right->device);
}

static bool
is_of_one_user(const struct observation *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (items[i].user != items[0].user)
            return false;
    return true;
}

uint32_t
fusion_devices(const struct observation *items, size_t count, const bool *is_counted,
               uint32_t most_of_user)
{
    bool is_capped = !is_of_one_user(items, count);
    struct voice *voices = memory_take(count * sizeof *voices + 1);
    size_t listed = 0;
    uint32_t distinct = 0, of_user = 0;
    for (size_t i = 0; i < count; i++)
        if (is_counted[i])
            voices[listed++] = (struct voice){items[i].user, items[i].device};
    qsort(voices, listed, sizeof *voices, compare_voices);
    for (size_t i = 0; i < listed; i++) {
        if (i && compare_voices(&voices[i], &voices[i - 1]) == 0)
            continue;
        of_user = i && voices[i].user == voices[i - 1].user ? of_user + 1 : 1;
        distinct += !is_capped || !voices[i].user || of_user <= most_of_user;
    }
    free(voices);
    return distinct;
}

// --- the fused motion ---

// Markley's mean of the rotations and the mean of the translations.
static struct rigid
rough_mean(const struct observation *items, size_t count, const double *weights)
{
    double(*quaternions)[4] = memory_take(count * sizeof *quaternions);
    struct rigid mean = {.rotation = {1, 0, 0, 0}};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(quaternions[i], items[i].motion.rotation, sizeof quaternions[i]);
        sum += weights[i];
        for (int axis = 0; axis < 3; axis++)
            mean.translation[axis] += weights[i] * items[i].motion.translation[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        mean.translation[axis] /= sum;
    fusion_mean_rotation((const double(*)[4])quaternions, weights, count, mean.rotation);
    free(quaternions);
    return mean;
}

// A step of least squares with given weights. Writes the sum of the informations to `ret_sum`.
static double
step(const struct observation *items, size_t count, const double *weights, struct rigid *motion,
     double *ret_sum)
{
    double pull[6] = {0}, twist[6], part[6], information[36], largest = 0;
    memset(ret_sum, 0, MATRIX6_SIZE * sizeof *ret_sum);
    for (size_t i = 0; i < count; i++) {
        if (weights[i] <= 0)
            continue;
        residual(&items[i], motion, twist);
        observations_inform(&items[i], information);
        matrix6_apply(information, twist, part);
        for (int k = 0; k < 6; k++)
            pull[k] += weights[i] * part[k];
        matrix6_add(ret_sum, weights[i], information);
    }
    if (!matrix6_solve(ret_sum, pull, twist))
        return 0;
    struct rigid moved = rigid_exp(twist);
    *motion = rigid_compose(&moved, motion);
    for (int k = 0; k < 6; k++)
        largest = fmax(largest, fabs(twist[k]));
    return largest;
}

// Refines the motion of the mode by the observations of `takes_part`. With `is_robust` distant ones
// weigh less.
static void
refine(const struct observation *items, size_t count, const bool *takes_part, bool is_robust,
       struct mode *mode)
{
    double *weights = memory_take(count * sizeof *weights);
    for (int i = 0; i < MAX_STEPS; i++) {
        for (size_t k = 0; k < count; k++) {
            double loss = 1;
            if (is_robust && takes_part[k] && !items[k].is_pinned)
                loss =
                    POSEGRAPH_GATE / (POSEGRAPH_GATE + fusion_chi_square(&items[k], &mode->motion));
            weights[k] = takes_part[k] ? items[k].weight * loss * loss : 0;
        }
        if (!i && is_robust)
            mode->motion = rough_mean(items, count, weights);
        else if (step(items, count, weights, &mode->motion, mode->information) < STEP_TOLERANCE)
            break;
    }
    free(weights);
}

// Fills in the other members of a mode from the observations that take part.
static void
describe(const struct observation *items, size_t count, const bool *takes_part, struct mode *mode)
{
    mode->observations = 0;
    mode->time_us = 0;
    mode->since_us = UINT64_MAX;
    mode->is_pinned = false;
    for (size_t i = 0; i < count; i++) {
        if (!takes_part[i])
            continue;
        mode->observations++;
        mode->only_device = items[i].device;
        mode->since_us = items[i].time_us < mode->since_us ? items[i].time_us : mode->since_us;
        mode->time_us = items[i].time_us > mode->time_us ? items[i].time_us : mode->time_us;
        mode->is_pinned = mode->is_pinned || items[i].is_pinned;
    }
    mode->devices = mode->observations > 1
                        ? fusion_devices(items, count, takes_part, FUSION_USER_DEVICES)
                        : mode->observations;
}

void
fusion_find_covariance(struct mode *mode)
{
    if (matrix6_invert(mode->information, mode->covariance))
        return;
    memset(mode->covariance, 0, sizeof mode->covariance);
    for (int i = 0; i < 6; i++)
        mode->covariance[i * 7] = 1e12;
}

static void
take_single(const struct observation *item, struct mode *ret_mode)
{
    const bool takes_part = true;
    double information[36];
    *ret_mode = (struct mode){.motion = item->motion};
    observations_inform(item, information);
    matrix6_add(ret_mode->information, item->weight, information);
    describe(item, 1, &takes_part, ret_mode);
}

bool
fusion_accepted(const struct observation *items, size_t count, const struct rigid *start,
                struct mode *ret_mode)
{
    size_t accepted = 0, last = 0;
    bool *takes_part = memory_take(count * sizeof *takes_part + 1);
    for (size_t i = 0; i < count; i++) {
        takes_part[i] = items[i].is_accepted;
        accepted += takes_part[i];
        last = takes_part[i] ? i : last;
    }
    *ret_mode = (struct mode){.motion = *start};
    if (accepted == 1)
        take_single(&items[last], ret_mode);
    else if (accepted) {
        refine(items, count, takes_part, false, ret_mode);
        describe(items, count, takes_part, ret_mode);
    }
    free(takes_part);
    return accepted > 0;
}

// --- modes ---

enum { FUSION_REST = FUSION_STRAY - 1 }; // the mode of an observation that has none yet

// Chooses up to `most` of those in `rest`: all, or evenly spread over the sum of their weights, so
// that a device with very many observations does not dominate the sample. Returns how many.
static size_t
sample(const struct observation *items, const size_t *rest, size_t count, size_t most,
       size_t *ret_sample)
{
    if (count <= most) {
        memcpy(ret_sample, rest, count * sizeof *rest);
        return count;
    }
    double sum = 0, passed = 0;
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        sum += items[rest[i]].weight;
    for (size_t i = 0; i < count && taken < most; i++) {
        passed += items[rest[i]].weight;
        for (; taken < most && passed * (double)most > sum * ((double)taken + 0.5); taken++)
            ret_sample[taken] = rest[i];
    }
    return taken;
}

// The observation of `rest` with the least sum of distances to the others, each limited to the
// gate.
static size_t
find_medoid(const struct observation *items, const size_t *rest, size_t count)
{
    size_t candidates[MEDOID_CANDIDATES], others[MEDOID_OTHERS], best = rest[count - 1];
    for (size_t i = 0; i < count; i++)
        if (items[rest[i]].is_pinned)
            return rest[i];
    size_t candidate_count = sample(items, rest, count, MEDOID_CANDIDATES, candidates);
    size_t other_count = sample(items, rest, count, MEDOID_OTHERS, others);
    double least = INFINITY;
    for (size_t i = 0; i < candidate_count; i++) {
        double sum = 0;
        for (size_t k = 0; k < other_count && sum <= least; k++) {
            const struct observation *other = &items[others[k]];
            double weight = other_count == count ? other->weight : 1;
            sum += weight * fmin(disagreement(&items[candidates[i]], other), POSEGRAPH_GATE);
        }
        if (sum <= least) { // of equals the newest
            least = sum;
            best = candidates[i];
        }
    }
    return best;
}

// Finds the members of the mode around the medoid among the observations without a mode.
static void
gather(struct observation *items, size_t count, size_t medoid, uint32_t index,
       struct mode *ret_mode)
{
    bool *takes_part = memory_take(count * sizeof *takes_part);
    *ret_mode = (struct mode){.motion = items[medoid].motion};
    memcpy(ret_mode->information, items[medoid].information, sizeof ret_mode->information);
    for (size_t i = 0; i < count; i++)
        takes_part[i] = items[i].mode == FUSION_REST &&
                        (i == medoid || items[i].is_pinned ||
                         disagreement(&items[medoid], &items[i]) <= POSEGRAPH_GATE);
    refine(items, count, takes_part, true, ret_mode);
    for (size_t i = 0; i < count; i++)
        takes_part[i] = items[i].mode == FUSION_REST &&
                        (i == medoid || items[i].is_pinned ||
                         fusion_chi_square(&items[i], &ret_mode->motion) <= POSEGRAPH_GATE);
    refine(items, count, takes_part, false, ret_mode);
    describe(items, count, takes_part, ret_mode);
    for (size_t i = 0; i < count; i++)
        if (takes_part[i])
            items[i].mode = index;
    free(takes_part);
}

// Where users face each other, what was said first stays: whoever comes later with many devices
// turns nothing over. Else the newer of equals is better.
static bool
is_better(const struct mode *a, const struct mode *b, bool is_of_users)
{
    if (a->is_pinned != b->is_pinned)
        return a->is_pinned;
    if (a->devices != b->devices)
        return a->devices > b->devices;
    if (is_of_users)
        return a->since_us < b->since_us;
    if (a->observations != b->observations)
        return a->observations > b->observations;
    return a->time_us > b->time_us;
}

static void
order_modes(struct observation *items, size_t count, struct mode *modes, uint32_t mode_count)
{
    uint32_t order[FUSION_MODES], place[FUSION_MODES];
    struct mode sorted[FUSION_MODES];
    bool is_of_users = !is_of_one_user(items, count);
    for (uint32_t i = 0; i < mode_count; i++) {
        uint32_t at = i;
        for (; at && is_better(&modes[i], &modes[order[at - 1]], is_of_users); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < mode_count; i++) {
        sorted[i] = modes[order[i]];
        place[order[i]] = i;
    }
    memcpy(modes, sorted, mode_count * sizeof *modes);
    for (size_t i = 0; i < count; i++)
        if (items[i].mode != FUSION_STRAY)
            items[i].mode = place[items[i].mode];
}

// Those that take part in a split.
static size_t
begin_rest(struct observation *items, size_t count)
{
    size_t past = 0;
    for (size_t i = 0; i < count; i++)
        past += items[i].is_past;
    for (size_t i = 0; i < count; i++)
        items[i].mode = items[i].is_past && past < count ? FUSION_STRAY : FUSION_REST;
    return past;
}

uint32_t
fusion_split(struct observation *items, size_t count, struct mode *ret_modes)
{
    size_t *rest = memory_take(count * sizeof *rest), past = begin_rest(items, count);
    uint32_t modes = 0;
    for (; modes < FUSION_MODES; modes++) {
        size_t left = 0;
        for (size_t i = 0; i < count; i++)
            if (items[i].mode == FUSION_REST)
                rest[left++] = i;
        if (!left)
            break;
        if (left == 1) {
            take_single(&items[rest[0]], &ret_modes[modes]);
            items[rest[0]].mode = modes;
        } else
            gather(items, count, find_medoid(items, rest, left), modes, &ret_modes[modes]);
    }
    free(rest);
    for (size_t i = 0; i < count; i++)
        items[i].mode = items[i].mode == FUSION_REST ? FUSION_STRAY : items[i].mode;
    order_modes(items, count, ret_modes, modes);
    for (uint32_t i = 0; i < modes; i++)
        ret_modes[i].is_past = past == count && !ret_modes[i].is_pinned;
    return modes;
}
