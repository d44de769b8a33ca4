// backup_keeper.h - a thread of low priority that makes backups: when it is asked to, and every
// `every_s`, and when a log begins that goes on from none. It keeps the newest `keep` of them, and
// of the log what these need. Any thread may call.
#ifndef DIORAMA_ACTORS_BACKUP_BACKUP_KEEPER_H
#define DIORAMA_ACTORS_BACKUP_BACKUP_KEEPER_H

#include "actors/backup/log_shipper.h"
#include "proto/message/blob.h"
#include "proto/records/backup.h"
#include "store/store.h"

typedef struct backup_keeper backup_keeper_t;

// Texts, store and blobs are borrowed until the end.
struct backup_keeper_settings {
    const char *data_dir;
    const char *dir;  // backup.dir; "" = there are none
    uint64_t every_s; // 0 = only when asked to
    size_t keep;      // 0 = all
    uint64_t reserve; // space that the disk of `dir` must have left, in bytes
    const char *version;
    uint64_t epoch;
    store_t *store;
    blobs_t *blobs;
    log_shipper_t *shipper; // NULL = there is no log; it ends later than the keeper
};

// Starts the thread. A folder that cannot be used is on the log, and told who asks for a backup.
fallible backup_keeper_create(const struct backup_keeper_settings *settings,
                              backup_keeper_t **ret_keeper);
// Breaks off the backup that is being made; nothing of it is left. Accepts NULL.
void backup_keeper_destroy(backup_keeper_t **self);

// Begins a backup; *ret_backup says its name, one reference, yours. Fails with ERR_CONFLICT if one
// is being made, or there is no backup.dir.
fallible backup_keeper_begin(backup_keeper_t *self, const frozen_t **ret_backup);

// Adds to the reply: the backup that is being made, or failed last; then the complete ones, newest
// first, `most` in all. Fails with ERR_CONFLICT if there is no backup.dir, with ERR_UNAVAILABLE if
// it cannot be read.
fallible backup_keeper_list(backup_keeper_t *self, struct message *message, size_t most);

#endif
