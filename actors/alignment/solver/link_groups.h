// link_groups.h - groups of links that agree with each other, and which of them begin. Pure. Wrong
// links that agree confirm each other as right ones do: each has its cycles. But where something is
// right, much more agrees with it (groups of consistent measurements, Mangelson et al. 2018, by a
// greedy bound).
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_LINK_GROUPS_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_LINK_GROUPS_H

#include "actors/alignment/solver/cycle_votes.h"
#include "actors/alignment/solver/posegraph.h"

enum {
    LINK_GROUPS_RATIO = 2,  // a group gives way to groups that are larger by this
    LINK_GROUPS_LEAST = 10, // devices of a group that others give way to
};

// Takes the support of a start (INITIAL_POSES_SUPPORT) from links between scenes that much larger
// groups relate already: they are to be admitted if they fit. A group is what opposite links of
// cycles that close say together; its size is how many devices say so. Edge i is link i with its
// mode. Pinned modes keep their support. Returns how many links lost it.
size_t link_groups_hold_back(uint32_t scene_count, const struct link *links, size_t link_count,
                             const struct mode *const *modes, int64_t *support,
                             struct effort *effort);

#endif
