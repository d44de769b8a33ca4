// checkpoint_make.h - makes one checkpoint for a follower: a folder with the files of the store,
// and `blobs`, a list of the blobs that there are. Any thread; may take seconds.
#ifndef DIORAMA_ACTORS_REPLICA_CHECKPOINT_MAKE_H
#define DIORAMA_ACTORS_REPLICA_CHECKPOINT_MAKE_H

#include "actors/replica/replica_wire.h"
#include "store/store.h"

// Makes `folder`, which must not be there, from the store and the blobs of a data.dir. Blobs must
// be held (blobs_hold): those of all records of the checkpoint are in the list then, and perhaps
// others. *ret_position is exactly that of the checkpoint. `files` gets the list of all its files
// (replica_put_file). What was made when it fails is left.
fallible checkpoint_make(store_t *store, const char *data_dir, const char *folder,
                         uint64_t *ret_position, struct buffer *files);

#endif
