// noise_model.h - how much noisier corrections are than devices claim, as their residuals say.
// Pure. Claimed sigmas are checked for each method: a factor for the variance of translations and
// one of rotations, by how many corrections lie between the two of an observation, because what a
// device takes for its coordinates drifts while it walks.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_NOISE_MODEL_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_NOISE_MODEL_H

#include "actors/alignment/solver/observations.h"

enum { NOISE_LAGS = 8 }; // the last one is for all that are longer

struct noise_method {
    uint64_t method;               // of both corrections of an observation
    double factors[NOISE_LAGS][2]; // 1 or more: of translations and of rotations
};

// All zero: every claim holds.
struct noise_model {
    size_t count;
    struct noise_method *methods; // ascending
};

void noise_model_finish(struct noise_model *self);

// Replaces `self` by a copy.
void noise_model_copy(struct noise_model *self, const struct noise_model *other);

// The factors for observations of a method whose corrections follow each other after `lag` steps.
void noise_model_factors(const struct noise_model *self, uint64_t method, uint32_t lag,
                         double *ret_factors);

// How many times larger than claimed the sigmas of a correction are, on the whole.
double noise_model_factor(const struct noise_model *self, uint64_t method);

// The share of drift in the noise of a method, 0 to 1: by how much two steps are noisier than one.
double noise_model_drift(const struct noise_model *self, uint64_t method);

// The share of the observations' weight that is not accepted; those that are past do not count.
double noise_model_contrary_share(const struct observations *observations);

// Estimates the model from the residuals of solved observations against `poses`. With few of them
// the factors are near 1; they are never below it. Returns whether the model has changed by more
// than the estimate can tell from noise; then all is to be solved again.
bool noise_model_estimate(struct noise_model *self, const struct observations *observations,
                          uint32_t scene_count, const struct rigid *poses);

#endif
