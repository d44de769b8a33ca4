// observation_fusion.h - fuses the observations of one link. Pure. Observations that agree within
// their noise are a *mode*. A link usually has one mode and a few strays.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATION_FUSION_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_OBSERVATION_FUSION_H

#include "actors/alignment/solver/observations.h"

enum {
    FUSION_MODES = 4, // of one link; an observation that fits none of them is a stray
    FUSION_STRAY = UINT32_MAX,
    FUSION_USER_DEVICES = 1, // so many devices of a user support a mode, if users disagree
};

struct mode {
    struct rigid motion;
    double information[36]; // sum of its observations
    double covariance[36];  // its inverse, after fusion_find_covariance
    uint32_t observations;
    uint32_t devices;
    uint64_t only_device; // if devices is 1
    uint64_t since_us;    // of its oldest observation
    uint64_t time_us;     // of its newest
    uint32_t cycles;      // that confirm it (votes)
    bool is_pinned;
    bool is_past; // all its observations are
};

// Splits the observations of a link, ordered from the oldest to the newest, into modes, the best
// supported first, and writes into each observation its mode. Those that are past are strays,
// unless all are. Returns how many modes there are.
uint32_t fusion_split(struct observation *items, size_t count, struct mode *ret_modes);

// Inverts the information. If that is not possible, the covariance is huge.
void fusion_find_covariance(struct mode *mode);

// Fuses the accepted observations, starting at `start`. False if none is accepted.
bool fusion_accepted(const struct observation *items, size_t count, const struct rigid *start,
                     struct mode *ret_mode);

// The chi-square of an observation against a motion, by its own information alone.
double fusion_chi_square(const struct observation *self, const struct rigid *motion);

// How many devices made the observations with `is_counted`. If the observations are of several
// users, a user (not 0) counts for `of_user` devices at most.
uint32_t fusion_devices(const struct observation *items, size_t count, const bool *is_counted,
                        uint32_t of_user);

// The weighted mean of rotations: the quaternion for which the sum of weighted squares of the
// chords is least, whatever the signs of the quaternions (Markley et al. 2007).
void fusion_mean_rotation(const double (*quaternions)[4], const double *weights, size_t count,
                          double *ret_mean);

#endif
