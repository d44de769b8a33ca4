// component.h - scenes that evidence connects, and the solution of how they relate. Pure. A
// component is made by one thread and does not change once it is solved.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_H

#include <pthread.h>
#include <stdatomic.h>

#include "actors/alignment/solver/effort.h"
#include "actors/alignment/solver/kept_factor.h"
#include "actors/alignment/solver/noise_model.h"
#include "actors/alignment/solver/observations.h"

// A correction of a component. With `is_left_out` it does not count: it has faded, or it stands
// implausibly far away.
struct component_correction {
    struct correction correction;
    uint32_t scene; // its place in the component
    uint32_t fade;
    uint32_t step; // of its session: how many times the device said something of another scene
    bool is_left_out;
};

// A robust solve finds poses stage by stage, once for each model of the noise.
enum {
    COMPONENT_ROUNDS = 5, // models of the noise, at most
    COMPONENT_STAGES = 4, // by the links of the start, then after each admission of others
};

struct component {
    atomic_size_t references;
    uint32_t confirm_users; // that a confident answer needs
    struct effort *effort;  // of the solve that runs, borrowed; NULL = without bounds
    bool is_given_up;       // it would take too long: poses by the best supported links alone
    bool is_certified;      // certificate_check
    double contrary_share;  // noise_model_contrary_share
    uint32_t scene_count;
    uint64_t *scenes; // ascending
    double *centres;  // of scenes, three numbers each
    size_t correction_count;
    struct component_correction *corrections; // by scene, then id

    struct observations observations;
    struct noise_model noise; // that the observations have
    struct rigid *poses; // map coordinates of a scene, from its centre, to those of the first scene
    // The poses after each stage, from which a later solve may begin; NULL = there was no such
    // stage, or it left links out.
    struct rigid *stages[COMPONENT_ROUNDS][COMPONENT_STAGES];
    // The factors of these that lie far from the end of their round, and of that; NULL where they
    // are too large: then the last one stands for them.
    kept_factor_t *factors[COMPONENT_ROUNDS][COMPONENT_STAGES + 1];
    kept_factor_t *factor;     // at the poses, or near them
    struct normal_order order; // of elimination, kept for the next solve
    uint32_t *regions;         // verification_regions
    bool *is_doubtful;         // of a link: nobody knows whether one of its scenes moved

    struct link_state *states; // by scene, then the other one
    uint32_t *state_links;     // which link each is
    pthread_mutex_t lock; // of the sigmas of states, which the first question for a scene computes
    bool *has_sigmas;     // of a scene
    uint32_t *state_starts;   // of a scene; scene_count + 1
    struct verdict *verdicts; // as corrections
    uint32_t *verdict_starts; // of a scene; scene_count + 1
};

// Keeps the factor of a stage for the next solution, unless it is too large.
void component_keep_factor(struct component *self, uint32_t round, size_t stage);

// Keeps the factor of the end of a round, and those of stages that it does not stand for.
void component_end_round(struct component *self, uint32_t round);

// Takes the three lists. One reference.
struct component *component_create(uint32_t scene_count, uint64_t **scenes, double **centres,
                                   size_t correction_count,
                                   struct component_correction **corrections);
struct component *component_ref(const struct component *self);
// Accepts NULL.
void component_unref(struct component **self);

// Whether both are made from the same evidence, faded equally.
bool component_is_same(const struct component *self, const struct component *other);

// The place of a scene; UINT32_MAX if it is not in the component.
uint32_t component_find(const struct component *self, uint64_t scene_id);

// How two of its scenes relate, given by their places: the motion between their origins, and the
// covariance (6x6) of twists on its left. Any thread.
struct rigid component_motion(const struct component *self, uint32_t from, uint32_t to);
void component_covariance(const struct component *self, uint32_t from, uint32_t to,
                          double *ret_covariance);

// The links of a scene, complete. Any thread.
size_t component_states(const struct component *self, uint32_t scene,
                        const struct link_state **ret_states);

// Whether a link has accepted observations.
bool component_link_is_alive(const struct component *self, const struct link *link);

#endif
