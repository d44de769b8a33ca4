// replica_source.h - the leader as its follower sees it: asks one thing after another over ZeroMQ
// and waits for the answer (replica_wire.h). One thread uses it.
//
// How each call fails: ERR_UNAVAILABLE if no answer came until the deadline, or must_end says so
// (within 100 ms); ERR_CONFLICT if the leader refuses, with its sentence; ERR_INVALID if the answer
// is none, or damaged. After each of these the next call makes a new connection.
#ifndef DIORAMA_ACTORS_REPLICA_SOURCE_H
#define DIORAMA_ACTORS_REPLICA_SOURCE_H

#include "actors/replica/replica_wire.h"
#include "store/store.h"

typedef struct replica_source replica_source_t;

struct replica_source_settings {
    const char *endpoint;   // tcp://leader:5563
    const char *curve;      // folder of the follower's own pair of keys (made if absent); "" = none
    const char *leader_key; // the leader's public key in Z85, where there is a folder
    bool (*must_end)(void *context); // asked while it waits; NULL = never
    void *context;
};

// An answer to LOG. What it has lives until the next call of the source.
struct replica_log {
    struct replica_place head; // the newest of the leader
    uint64_t time_us;          // of the leader's calendar, when it looked
    // Of replica_source_next.
    struct bytes left;
    uint64_t last; // of the commit that was read last
};

struct replica_checkpoint {
    uint64_t id;
    struct replica_place place; // all commits up to there are in it
    struct replica_file *files; // of the store, and `blobs` (replica_blobs_read)
    size_t file_count;
};

struct replica_blob {
    struct blob_hash hash;
    uint64_t size;
};

// Settings are copied. Connects in the background; fails with ERR_INVALID where endpoint or keys
// are none.
fallible replica_source_create(const struct replica_source_settings *settings,
                               replica_source_t **ret_source);
void replica_source_destroy(replica_source_t **self); // Accepts NULL.

// The commits behind `after`; waits for the first one up to wait_ms (REPLICA_WAIT_MS at most).
// There may be none. ERR_NOT_FOUND: the leader does not have what is behind that place (GONE); it
// takes a checkpoint to go on.
fallible replica_source_log(replica_source_t *self, struct replica_place after, uint32_t wait_ms,
                            uint64_t deadline_ms, struct replica_log *ret_log);

// The next commit of an answer, which begins directly behind the one before; *ret_change is NULL
// behind the last one. Fails with ERR_INVALID on a body that is damaged or does not follow: it and
// those behind it must not be applied. `change` is valid until the next call.
fallible replica_source_next(replica_source_t *self, struct replica_log *log,
                             const struct store_change **ret_change);

// Lets the leader make a checkpoint, which may take seconds. replica_checkpoint_finish frees it.
fallible replica_source_checkpoint(replica_source_t *self, uint64_t deadline_ms,
                                   struct replica_checkpoint *ret_checkpoint);
void replica_checkpoint_finish(struct replica_checkpoint *self);

// Up to 1 MiB of a file from `offset` on, and the size of all of it; *ret_bytes lives until the
// next call. ERR_NOT_FOUND: there is no such file, or no such checkpoint any more.
fallible replica_source_file(replica_source_t *self, uint64_t checkpoint, const char *name,
                             uint64_t offset, uint64_t deadline_ms, struct bytes *ret_bytes,
                             uint64_t *ret_size);

// The leader may remove the checkpoint.
fallible replica_source_done(replica_source_t *self, uint64_t checkpoint, uint64_t deadline_ms);

// As replica_source_file. The hash is not checked here.
fallible replica_source_blob(replica_source_t *self, const struct blob_hash *hash, uint64_t offset,
                             uint64_t deadline_ms, struct bytes *ret_bytes, uint64_t *ret_size);

// Row `index` of bytes of the file `blobs`; false behind the last whole one.
bool replica_blobs_read(struct bytes rows, size_t index, struct replica_blob *ret_blob);

#endif
