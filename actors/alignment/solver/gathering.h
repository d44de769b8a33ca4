// gathering.h - the corrections that count, divided into components: scenes that they connect.
// Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_GATHERING_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_GATHERING_H

#include "actors/alignment/solver/component.h"

// A correction of a session, also one that is superseded: the device was there too.
struct visit {
    const struct correction *correction; // borrowed
    bool is_superseded;                  // it does not count
    uint32_t step; // of its session, from one scene to another; written by gathering_components
};

// The components of all corrections that count, not solved, *ret_count of them, in the order of
// their first scenes; each, and the list, is yours. Sorts the visits. What has faded at `now_us`
// (since 1970), or stands too far from the others of its scene, is left out.
struct component **gathering_components(struct visit *visits, size_t count, uint64_t now_us,
                                        size_t *ret_count);

#endif
