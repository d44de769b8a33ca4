// blob_folder.h - what the files of store/blob share: the folder of all blobs, its lock, the names
// in it. Only these files include it.
//
// The lock covers both the counts of a blob and whether its file has its name: a writer pins before
// it renames, the remover looks at the counts before it removes the name. Bytes are written,
// synced, hashed and unlinked without the lock.
#ifndef DIORAMA_STORE_BLOB_FOLDER_H
#define DIORAMA_STORE_BLOB_FOLDER_H

#include <pthread.h>

#include "proto/base/owned.h"
#include "proto/config/config.h"
#include "store/blob_beliefs.h"
#include "store/blob_cache.h"
#include "store/blob_index.h"
#include "store/blob_provider.h"
#include "store/blob_transfer.h"
#include "store/reserve.h"

enum {
    BLOB_NAME_SIZE = 3 + BLOB_HEX_SIZE,       // "aa/" and the hex
    BLOB_RUN_SIZE = 4 + 17,                   // "tmp/", 16 hex digits and NUL
    BLOB_TEMPORARY_SIZE = BLOB_RUN_SIZE + 24, // with a number behind
    BLOB_FOLDERS = 256,                       // one for each first byte of a hash
};

struct folder {
    blobs_t base;            // first: engines are reached through it
    int root;                // <data.dir>/blobs, or blob.dir
    char *path;              // of it
    char run[BLOB_RUN_SIZE]; // where this run writes: who opens the folder next takes that away
    bool is_synced;
    uint64_t reserve;
    reserve_meter *meter;
    bool (*must_end)(void);    // NULL: it need not
    blob_provider_t *provider; // that has the bytes; NULL: they are in the folder alone
    bool has_shared_store;     // the records are in a database, which may be the wrong one
    pthread_t remover;
    bool has_remover;
    pthread_mutex_t lock; // guards all below
    pthread_cond_t woken;
    struct blob_index index;
    struct blob_beliefs beliefs;
    struct blob_records records; // what they refer to; no list: to nothing
    uint64_t temporaries;        // named so far
    unsigned holds;              // while there are any, what was in use is not removed
    bool must_sweep, is_ending;
    bool has_counted;                // `records` may be believed where it has nothing
    uint64_t sweep_again_ms;         // when to look again for what could not be removed; 0 = never
    struct blob_cache cache;         // files that are copies, where there is a provider
    struct blob_transfers transfers; // under way to it and from it
    blob_listener *listener;         // NULL = nobody
    void *listener_context;
    bool is_durable[BLOB_FOLDERS]; // names of folders, by the first byte of a hash
};

static inline struct folder *
folder_of(blobs_t *base)
{
    return container_of(base, struct folder, base);
}

// Where the folder of a configuration is; yours.
char *folder_path_of(const struct config *config);

// Fails with the reason (errno) of a system call; logs it unless the disk is full.
fallible folder_failed(const struct folder *self, const char *what);

// "aa/aa…": the name of the blob's file below the root.
void folder_name(const struct blob_hash *hash, char ret_name[BLOB_NAME_SIZE]);

// A fresh name below the root, under the lock.
void folder_temporary(struct folder *self, char ret_name[BLOB_TEMPORARY_SIZE]);

// Opens the file of a blob to read it; -1 with errno. What is no regular file has none (EINVAL): a
// pipe would hold whoever opens it for ever.
int folder_open(const struct folder *self, const struct blob_hash *hash);

// Makes the folder `name` below the root; it may be there.
fallible folder_make(const struct folder *self, const char *name);

// Makes the folder of a blob. Its name is durable then.
fallible folder_make_for(struct folder *self, const struct blob_hash *hash);

// Makes the names in the folder `name` durable.
fallible folder_sync(const struct folder *self, const char *name);

// Removes the file of a blob: its name under the lock, which the caller holds, and its bytes
// without it, since the disk takes a while for those of a large file.
bool folder_remove(struct folder *self, const struct blob_hash *hash);

// The thread of a folder that removes.
void *folder_remover_run(void *folder);

// Whether the file's bytes have the hash.
bool folder_file_has(int file, const struct blob_hash *hash);

// The functions of the engine in blob_writer.c and blob_reader.c.
fallible blob_writer_begin(blobs_t *base, uint64_t limit, blob_writer_t **ret_writer);
fallible blob_writer_write(blob_writer_t *base, const void *data, size_t size);
fallible blob_writer_finish(blob_writer_t *base, struct blob_pin **ret_pin);
void blob_writer_abort(blob_writer_t *base);
fallible blob_reader_open(blobs_t *base, const struct blob_hash *hash, int *ret_file,
                          uint64_t *ret_size);

#endif
