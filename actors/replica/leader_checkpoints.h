// leader_checkpoints.h - checkpoints that a leader makes for its followers, in
// `<data.dir>/replica`: at most two, each made by a thread of its own. While one is there no blob
// is removed that it needs. One thread calls.
#ifndef DIORAMA_ACTORS_REPLICA_LEADER_CHECKPOINTS_H
#define DIORAMA_ACTORS_REPLICA_LEADER_CHECKPOINTS_H

#include "actors/replica/replica_wire.h"
#include "proto/config/config.h"
#include "store/store.h"

typedef struct leader_checkpoints leader_checkpoints_t;

// Removes what an earlier start left. All are borrowed.
leader_checkpoints_t *leader_checkpoints_create(const struct config *config, store_t *store,
                                                blobs_t *blobs, uint64_t epoch);
// Waits for those that are being made. Accepts NULL.
void leader_checkpoints_destroy(leader_checkpoints_t **self);

// Begins one, or joins one that is being made or that nobody has read from yet. Fails with
// ERR_CONFLICT where there are two, with ERR_STORAGE_FULL where the disk has no room to spare.
fallible leader_checkpoints_begin(leader_checkpoints_t *self, uint64_t *ret_id);

// Whether it is ready: then answer and list of files are filled. Fails with ERR_UNAVAILABLE where
// it could not be made; it is gone then.
fallible leader_checkpoints_take(leader_checkpoints_t *self, uint64_t id, bool *ret_is_ready,
                                 struct replica_answer *answer, struct buffer *files);

// Up to 1 MiB of a file from `offset` on. Fails with ERR_NOT_FOUND if it has no such file, or is
// gone.
fallible leader_checkpoints_read(leader_checkpoints_t *self, uint64_t id, const char *name,
                                 uint64_t offset, struct buffer *bytes, uint64_t *ret_size);

// One of those who began it needs it no more; after the last one it is removed. ERR_NOT_FOUND.
fallible leader_checkpoints_end(leader_checkpoints_t *self, uint64_t id);

// Removes those of which nobody asked for anything for ten minutes.
void leader_checkpoints_expire(leader_checkpoints_t *self, uint64_t now_ms);

#endif
