// blob_copies.h - the bytes of assets that are about to be shown: those that are not here are
// copied from the leader, and all of them stay until their records refer to them. The follower's
// thread alone.
#ifndef DIORAMA_ACTORS_REPLICA_BLOB_COPIES_H
#define DIORAMA_ACTORS_REPLICA_BLOB_COPIES_H

#include "actors/replica/replica_source.h"

// Embedded; all zero but for source and blobs, which are borrowed.
struct blob_copies {
    replica_source_t *source;
    blobs_t *blobs;
    bool is_holding; // blobs_hold
    size_t count, capacity;
    struct blob_pin **pins; // of those that were copied
};

// The bytes with this hash are here from now until blob_copies_end. Those that the leader has no
// more are passed over: the record that names them is gone there too, and soon here. Fails as
// replica_source_blob, and where they cannot be written.
fallible blob_copies_take(struct blob_copies *self, const struct blob_hash *hash);

void blob_copies_end(struct blob_copies *self);

#endif
