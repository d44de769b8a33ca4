// cycle_votes.h - which modes of links close into cycles (alignment; cycle consistency as in Zach
// et al. 2010). Pure. Going round three or four links leads back to where one was, within the noise
// that the sigmas predict; wrong evidence hardly ever does.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_CYCLE_VOTES_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_CYCLE_VOTES_H

#include "actors/alignment/solver/observation_fusion.h"

enum {
    CYCLE_VOTES_ENOUGH = 4,      // cycles that confirm a mode: no more are looked for
    CYCLE_VOTES_TRIES = 100,     // ways round that are tried at one link
    CYCLE_VOTES_NEIGHBOURS = 24, // of a scene that are looked at
};

// The modes of one link: FUSION_MODES places, so many of them taken.
struct candidates {
    uint32_t count;
    struct mode modes[FUSION_MODES];
};

// Counts in each mode the cycles that confirm it, but for links that several devices agree on
// anyway. Past modes take no part; nor do cycles in which one device stands alone for two links:
// what it says twice confirms nothing.
void cycle_votes_count(uint32_t scene_count, const struct link *links, size_t link_count,
                       struct candidates *candidates);

#endif
