// backup_make.h - makes a backup of a data.dir while its server works. One thread at a time.
//
// The records are those of one moment: a checkpoint of the store. Files of assets are content
// addressed and held meanwhile, so those of the records are there. Where the disk is the same, both
// are shared with the server (hard links), else with the backup before, and only what is new is
// copied. Logs and keys are always copied. Each backup is complete in itself: any of them may be
// removed, copied or restored without the others.
#ifndef DIORAMA_STORE_BACKUP_BACKUP_MAKE_H
#define DIORAMA_STORE_BACKUP_BACKUP_MAKE_H

#include "proto/base/arena.h"
#include "proto/message/blob.h"
#include "proto/records/backup.h"
#include "store/backup/backup_file.h"
#include "store/store.h"

struct backup_settings {
    const char *data_dir;
    const char *dir; // of all backups
    store_t *store;
    blobs_t *blobs;
    const char *version; // of the server
    uint64_t epoch;
    const char *chain;       // of the log that goes on from here; NULL or "" = there is none
    struct backup_pace pace; // asked before each MiB
};

// Begins the record of a backup in the arena: its time, version and epoch; its state is `running`.
struct backup *backup_begin(const struct backup_settings *settings, struct arena *arena,
                            uint64_t time_us);

// Makes the backup and completes its record, which the caller began: key, counts, root. Where it
// fails nothing of it is left, and the error says why: ERR_STORAGE_FULL, ERR_UNAVAILABLE, what the
// pace said, ERR_INTERNAL if the store is damaged.
fallible backup_make(const struct backup_settings *settings, struct arena *arena,
                     struct backup *backup);

// Removes what a kill left of a backup beside the data.
void backup_clear(const char *data_dir);

#endif
