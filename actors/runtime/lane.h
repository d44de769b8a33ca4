// lane.h - what keeps a committer the only one that writes, where other processes reach the store
// (store.h, is_shared): each batch guards the marker of the last one, so the chain of the marker's
// versions goes through this committer alone. Whoever takes its place writes the marker, and from
// then on nothing of it is written any more. No lock is shared by committers.
//
// What is unknown is decided by a guarded write, never by a read: a commit may be under way in a
// database that hangs, and would land after the read. Runs on the committer's thread.
#ifndef DIORAMA_ACTORS_RUNTIME_LANE_H
#define DIORAMA_ACTORS_RUNTIME_LANE_H

#include "store/store.h"

struct lane {
    store_t *store;
    const char *name;     // of the committer, for the log
    store_version_t last; // of its marker
    bool is_lost;         // another process has taken its place
};

// What became of a batch that guarded `lane->last` at `marker` and was committed as `id` with
// `result`: OK, or why nothing was written. Waits as long as nobody can tell. CONFLICT with
// `is_lost` where the place was taken.
enum store_result lane_settle(struct lane *self, const struct store_address *marker,
                              store_version_t id, enum store_result result);

#endif
