// blob_transfer.h - one transfer of a blob at a time between the folder and its provider: who wants
// the same meanwhile takes its result, bytes or failure; who wants another thing waits for its end,
// for a while. All calls under the lock of the folder. Only store/blob includes it.
#ifndef DIORAMA_STORE_BLOB_TRANSFER_H
#define DIORAMA_STORE_BLOB_TRANSFER_H

#include <pthread.h>

#include "proto/base/error.h"
#include "proto/message/blob.h"

enum blob_transfer_kind { BLOB_PUT, BLOB_FETCH, BLOB_REMOVAL };

struct blob_transfer;

struct blob_transfers {
    struct blob_transfer *first;
    pthread_cond_t moved; // one has ended
    uint64_t patience_ms; // how long anybody waits
};

void blob_transfers_init(struct blob_transfers *self, uint64_t patience_ms);
// None is under way.
void blob_transfers_finish(struct blob_transfers *self);

// Begins one, which the caller ends: `ret_mine` is it. Where others transfer the same waits with
// `lock` released: behind one of the same kind `ret_mine` is NULL, and the result is its result; of
// a fetch `ret_file` (of others NULL) is then yours, and shares its offset with others: read it by
// pread. Fails with ERR_UNAVAILABLE where that takes too long.
fallible blob_transfer_begin(struct blob_transfers *self, pthread_mutex_t *lock,
                             const struct blob_hash *hash, enum blob_transfer_kind kind,
                             struct blob_transfer **ret_mine, int *ret_file);

// Ends it (taken) with its result, noted if it is a failure. `file` stays the caller's; -1 = none.
void blob_transfer_end(struct blob_transfers *self, struct blob_transfer *transfer,
                       enum error error, int file);

#endif
