// backup.h - one backup of a server, as its folder says (`backup.json`) and answers tell.
#ifndef DIORAMA_PROTO_RECORDS_BACKUP_H
#define DIORAMA_PROTO_RECORDS_BACKUP_H

#include "proto/record/record.h"

// Append-only: the files of older backups are read by names, which stay.
enum backup_field {
    BACKUP_KEY = 0,
    BACKUP_STATE = 1,
    BACKUP_CREATED = 2,
    BACKUP_TOOK = 3,
    BACKUP_FORMAT = 4,
    BACKUP_VERSION = 5,
    BACKUP_EPOCH = 6,
    BACKUP_FILES = 7,
    BACKUP_BYTES = 8,
    BACKUP_COPIED = 9,
    BACKUP_DAMAGED = 10,
    BACKUP_ROOT = 11,
    BACKUP_LINEAGE = 12,
    BACKUP_REASON = 13,
    BACKUP_POSITION = 14,
    BACKUP_REACHED = 15,
    BACKUP_CHAIN = 16,
    BACKUP_UNTIL = 17,
};

enum {
    BACKUP_FORMAT_NOW = 1, // of the folder; what is newer is refused
    BACKUP_NAME_SIZE = 32, // with NUL: 2026-11-24T19-04-11.512Z
    BACKUP_ROOT_SIZE = 65, // 64 hex digits and NUL
    BACKUP_LINEAGE_SIZE = 64,
};

struct backup {
    struct record base;
    const struct text *key;   // name of its folder
    const struct text *state; // running, done, failed
    int64_t created_us;       // by the calendar, when it began
    int64_t took_ms;
    int64_t format;             // BACKUP_FORMAT_NOW
    const struct text *version; // of the server
    int64_t epoch;              // of its start
    int64_t files;
    int64_t bytes;           // of all files
    int64_t copied;          // of these, bytes that were written; the others are shared
    int64_t damaged;         // files of assets whose bytes were not what they should be: left out
    const struct text *root; // SHA-256 of the list of its files, in hex
    const struct text *lineage; // names the store that its tables come from
    const struct text *reason;  // why it failed, or why its log does not go on
    int64_t position;           // of the store when it began: all commits up to it are in it
    int64_t reached_us;         // by the calendar: nothing that was committed later is in it
    const struct text *chain;   // of the log that goes on from it
    int64_t until_us;           // by the calendar; in answers: the log reaches until then
};

extern const struct schema backup_schema;
// What answers show.
extern const struct view backup_view_full;

#endif
