// observation_fusion.h - what the observations of one link say together (alignment). Pure.
// Those that agree within their noise are a mode: usually one, and a few stray ones.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATION_FUSION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATION_FUSION_H

#include "actors/alignment/solver/observations.h"

enum {
    FUSION_MODES = 4, // of one link; what fits none of them is a stray
    FUSION_STRAY = UINT32_MAX,
    FUSION_EPOCH_DEVICES = 3, // so many that came last and agree outvote what was before
};

struct mode {
    struct rigid motion;
    double information[36]; // sum of its observations
    double covariance[36];  // the inverse, once it was found
    uint32_t observations;
    uint32_t devices;
    uint64_t only_device; // where it is one
    uint64_t time_us;     // of its newest observation
    uint32_t cycles;      // that confirm it (votes)
    bool is_pinned;
    bool is_past; // a new epoch began after it
};

// Splits the observations of a link, from the oldest to the newest, into modes, and says in each
// which it belongs to. Returns how many there are, the best supported first.
uint32_t fusion_split(struct observation *items, size_t count, struct mode *ret_modes);

// Inverts the information; where that cannot be done, hardly anything is known.
void fusion_find_covariance(struct mode *mode);

// Fuses those that are accepted, starting at `start`. False where none is.
bool fusion_accepted(const struct observation *items, size_t count, const struct rigid *start,
                     struct mode *ret_mode);

// The chi-square of an observation against a motion, by its own information alone.
double fusion_chi_square(const struct observation *self, const struct rigid *motion);

// How many devices are among those with `is_counted` set. Where not all observations of the link
// are of one user, those of a user (not 0) are OBSERVATIONS_USER_DEVICES at most.
uint32_t fusion_devices(const struct observation *items, size_t count, const bool *is_counted);

// The weighted mean of rotations: the quaternion for which the sum of weighted squares of the
// chords is least, whatever the signs of the quaternions (Markley et al. 2007).
void fusion_mean_rotation(const double (*quaternions)[4], const double *weights, size_t count,
                          double *ret_mean);

#endif
