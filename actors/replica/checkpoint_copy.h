// checkpoint_copy.h - copies all that a leader has into data.dir: at the first start of a follower,
// and when the leader has no more what it lacks. It runs before the store is opened. All comes to
// `<data.dir>/incoming` first, and takes the place of the store when it is complete; a kill at any
// moment leaves the old store, or the new one, or a copy that is begun anew.
#ifndef DIORAMA_ACTORS_REPLICA_CHECKPOINT_COPY_H
#define DIORAMA_ACTORS_REPLICA_CHECKPOINT_COPY_H

#include "actors/replica/replica_wire.h"
#include "proto/config/config.h"

// The next start takes a checkpoint.
void checkpoint_copy_want(const char *data_dir);

// Takes one where there is no store yet, or one is wanted; waits for the leader as long as it is
// away, until `must_end`. *ret_place is where the store is at then, epoch 0 where it was kept as it
// is. Fails where the leader refuses, the disk is full, or it must end.
fallible checkpoint_copy(const struct config *config, bool (*must_end)(void),
                         struct replica_place *ret_place);

// The place of the new store is in it: nothing of the copy is needed any more.
void checkpoint_copy_done(const char *data_dir);

#endif
