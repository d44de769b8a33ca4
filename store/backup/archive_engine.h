// archive_engine.h - where the records of an archive are taken from or put: into RocksDB in the
// data.dir, unless the caller has another store for it.
#ifndef DIORAMA_STORE_BACKUP_ARCHIVE_ENGINE_H
#define DIORAMA_STORE_BACKUP_ARCHIVE_ENGINE_H

#include "store/store.h"

struct archive_engine {
    // Opens the store of this data.dir, for this process alone. `close` ends it, also where it is
    // NULL because open has failed.
    fallible (*open)(void *context, const char *data_dir, store_t **ret_store);
    void (*close)(void *context, store_t **store);
    void *context;
    // All of an import is there; NULL: nothing is to be noted.
    fallible (*complete)(void *context, store_t *store);
    const char *blobs; // folder of the bytes of assets; "" = in the data.dir
    bool has_blobs;    // they are in the store (archive_blobs.h)
};

// Opens the store; `self` is NULL for RocksDB. `is_synced`: commits wait for the disk there.
fallible archive_engine_open(const struct archive_engine *self, const char *data_dir,
                             bool is_synced, store_t **ret_store);
void archive_engine_close(const struct archive_engine *self, store_t **store);

// ERR_CONFLICT where there is a record, other than those that say who writes (fence.h).
fallible archive_engine_check_empty(store_t *store);

#endif
