// robust_stage.h - what the files of the robust solve share: its state, and its two halves: solves
// by links, and by the observations of the links. Only these files include it.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_STAGE_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_ROBUST_STAGE_H

#include "actors/alignment/solver/component.h"
#include "actors/alignment/solver/posegraph.h"
#include "actors/alignment/solver/robust_solve.h"

struct robust_solve {
    struct component *component;
    struct candidates *candidates; // of each link
    const struct mode **best;
    int64_t *support; // of the best mode
    bool *is_bridge;  // without it scenes would be disconnected, so its best mode is accepted
    double tolerance; // of intermediate solutions
    uint32_t round;   // with another model of the noise
    const struct known_poses *known; // or NULL
    struct posegraph graph;          // edge i is link i
};

// --- links (robust_links.c) ---

// Solves by the links that have a weight, then again without those that turn out to be wrong. Where
// `known` has poses of this stage (0 to COMPONENT_STAGES - 1) it begins there. Keeps the poses
// where all links fit: a later solve could not begin at others.
void robust_links_solve(struct robust_solve *self, size_t stage, const struct known_poses *known);

// Admits links that nothing supported and that fit now. Returns how many.
size_t robust_links_admit(struct robust_solve *self);

// --- observations (robust_observations.c) ---

// Accepts the observations of its best mode if a link has a weight, else none.
void robust_observations_accept_mode(struct robust_solve *self, size_t link);

// Accepts the observations of a link that agree with the poses; in late rounds none again that was
// rejected. Returns whether they are others than before.
bool robust_observations_accept(struct robust_solve *self, size_t link, int round);

// Solves for the poses by each accepted observation, not by the mean of each link: that would
// depend on which of its scenes comes first.
void robust_observations_solve(struct robust_solve *self);

// Repeats until the accepted observations are exactly those that agree with the poses.
void robust_observations_settle(struct robust_solve *self);

#endif
