// backup_check.h - looks whether a backup is whole, and restores one. Neither needs a server. Any
// thread.
#ifndef DIORAMA_STORE_BACKUP_BACKUP_CHECK_H
#define DIORAMA_STORE_BACKUP_BACKUP_CHECK_H

#include "proto/base/arena.h"
#include "proto/records/backup.h"
#include "store/backup/backup_file.h"

// What was looked at, and what was found.
struct backup_check {
    struct backup_pace pace;
    // Is told of each file that is not as it should be.
    void (*complain)(void *context, const char *path, const char *what);
    void *context;
    // Is called when all files of a restored folder are right, before it gets its name.
    enum error (*complete)(void *completed, const char *folder);
    void *completed;
    uint64_t files, bytes; // that were read
    uint64_t problems;
};

// Reads every file of the backup at `path` and compares it with its digest, and the list of digests
// with the root. OK also if there are problems: they are counted and told. Fails with ERR_INVALID
// if there is no backup, or one of a newer form.
fallible backup_verify(const char *path, struct backup_check *check);

// Nothing is ever restored over something else: fails with ERR_CONFLICT if `to` is neither missing
// nor an empty folder.
fallible backup_target_check(const char *to);

// Copies the backup to `to`, a folder that is missing or empty: a data.dir for a server to start
// with. Each file is compared with its digest; the folder appears when all of it is right and on
// the disk. Fails with ERR_CONFLICT if there is something in `to`, with ERR_INVALID if the backup
// is damaged, as backup_file_copy otherwise; nothing has changed then.
fallible backup_restore(const char *path, const char *to, struct backup_check *check);

#endif
