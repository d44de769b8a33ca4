// noise_model.h - how much noisier corrections are than devices claim, as their residuals say.
// Pure. Claimed sigmas are checked for each method: a factor for the variance of translations and
// one of rotations, which grows by as much with each correction that lies between the two of an
// observation, because what a device takes for its coordinates drifts while it walks.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_NOISE_MODEL_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_NOISE_MODEL_H

#include "actors/alignment/solver/kept_factor.h"
#include "actors/alignment/solver/observations.h"

// Factors of the claimed variance, of translations and of rotations.
struct noise_method {
    uint64_t method; // of both corrections of an observation
    double bases[2]; // of corrections that follow each other: 1 or more
    double steps[2]; // that each step more adds: 0 to the base
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

// What of the factor is noise of each correction, above 0, and what is drift of each step. `part`:
// 0 = of translations, 1 = of rotations.
double noise_model_noise(const struct noise_model *self, uint64_t method, int part);
double noise_model_drift(const struct noise_model *self, uint64_t method, int part);

// The share of the observations' weight that is not accepted; those that are past do not count.
double noise_model_contrary_share(const struct observations *observations);

// Estimates the model from the residuals of solved observations against `poses`, whose covariance
// `factor` knows (NULL = they are exact). With few of them the factors are near 1; they are never
// below it. Returns whether the model has changed by more than the estimate can tell from noise;
// then all is to be solved again.
bool noise_model_estimate(struct noise_model *self, const struct observations *observations,
                          uint32_t scene_count, const struct rigid *poses,
                          const kept_factor_t *factor);

// Whether the estimate surely leaves the model as it is, although `factor` is one of before
// that knows covariances no better than its strain says.
bool noise_model_is_settled(const struct noise_model *self, const struct observations *observations,
                            uint32_t scene_count, const struct rigid *poses,
                            const kept_factor_t *factor);

#endif
