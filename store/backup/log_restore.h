// log_restore.h - restores a server as it was at a time: a backup, and the commits of the log from
// there on. Needs no server. Any thread.
#ifndef DIORAMA_STORE_BACKUP_LOG_RESTORE_H
#define DIORAMA_STORE_BACKUP_LOG_RESTORE_H

#include "store/backup/backup_check.h"

// Of log_restore: all that the log has.
#define LOG_RESTORE_END UINT64_MAX

struct log_restore {
    const char *backups; // backup.dir, or one backup in it
    const char *log;     // backup.log
    uint64_t time_us;    // by the calendar of the server; LOG_RESTORE_END
    // What came out:
    char backup[BACKUP_PATH_SIZE]; // that was taken
    uint64_t commits, blobs;       // of the log
    uint64_t last_us;              // time of the last commit; 0 = none came from the log
};

// Restores the newest backup that ended before the time (or the one that is named) to `to`, as
// backup_restore, and applies the log up to the time: all commits until the first one that is
// later. Fails, and nothing has changed, with ERR_NOT_FOUND if there is no such backup, with
// ERR_CONFLICT if the log does not reach from the backup to the time without a gap, with
// ERR_INVALID if something is damaged, as backup_restore otherwise.
fallible log_restore(struct log_restore *self, const char *to, struct backup_check *check);

// Reads a log to its end, and says of each chain from when to when it goes, by `tell`; problems go
// to `check`.
fallible log_verify(const char *log, void (*tell)(void *context, const char *line),
                    struct backup_check *check);

#endif
