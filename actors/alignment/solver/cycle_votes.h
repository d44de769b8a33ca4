// cycle_votes.h - counts the cycles of links that support each mode (alignment; cycle consistency
// as in Zach et al. 2010). Pure. The motions around a cycle of three or four links give the
// identity within the noise that the sigmas predict. With wrong evidence they hardly ever do.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_CYCLE_VOTES_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_CYCLE_VOTES_H

#include "actors/alignment/solver/effort.h"
#include "actors/alignment/solver/observation_fusion.h"

enum {
    CYCLE_VOTES_ENOUGH = 4,      // a mode with so many cycles needs no more
    CYCLE_VOTES_TRIES = 100,     // cycles that are tried at one link
    CYCLE_VOTES_NEIGHBOURS = 24, // of a scene that are considered
};

// The modes of one link: FUSION_MODES places, so many of them taken.
struct candidates {
    uint32_t count;
    struct mode modes[FUSION_MODES];
};

// Counts in each mode the cycles that confirm it, except for links that several devices agree on
// anyway. Past modes do not take part. Neither do cycles in which one device is the only one at two
// links: it would confirm itself.
// Ends early where the effort (NULL = without bounds) is over.
void cycle_votes_count(uint32_t scene_count, const struct link *links, size_t link_count,
                       struct candidates *candidates, struct effort *effort);

// Joins in `groups` (a disjoint set of links) the links that are opposite in a cycle of four that
// closes, each with its mode in `modes`: they say the same of how two sides lie. That follows from
// the other two links of the cycle. So with `ranks` (of links, or NULL) both of these have at least
// the rank of the lesser one of those that are joined.
void cycle_votes_join(uint32_t scene_count, const struct link *links, size_t link_count,
                      const struct mode *const *modes, const uint32_t *ranks, uint32_t *groups,
                      struct effort *effort);

#endif
