// lane_claim.h - a start takes the place of every committer that wrote to a shared store before:
// those of a process that is believed dead write nothing any more (lane.h). Before anything is
// read that only its owner may change.
#ifndef DIORAMA_ACTORS_RUNTIME_LANE_CLAIM_H
#define DIORAMA_ACTORS_RUNTIME_LANE_CLAIM_H

#include "store/store.h"

// A family, and how many committers this process has in it.
struct lane_family {
    enum family family;
    unsigned committers;
};

// Writes the markers of all committers that ever were in these families, and of those of this
// process, in one commit: `*ret_last` is the version that all of them have. 0 where the store is
// not shared: nothing is written. Fails with ERR_UNAVAILABLE where the store cannot be read or
// written, or others start at the same time again and again.
fallible lane_claim(store_t *store, const struct lane_family *families, size_t count,
                    store_version_t *ret_last);

#endif
