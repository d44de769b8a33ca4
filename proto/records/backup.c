// backup.c - the fields of a backup.
#include "proto/records/backup.h"

// clang-format off
static const struct field fields[] = {
    FIELD(BACKUP_KEY,     struct backup, key,        "key",        "Name of the backup and of its folder: when it began, UTC."),
    FIELD(BACKUP_STATE,   struct backup, state,      "state",      "`running`, `done`, or `failed`."),
    FIELD(BACKUP_CREATED, struct backup, created_us, "created_us", "When it began, in microseconds since 1970: what was acknowledged before is in it."),
    FIELD(BACKUP_TOOK,    struct backup, took_ms,    "took_ms",    "How long it took.",                                                         .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_FORMAT,  struct backup, format,     "format",     "Form of the folder.",                                                       .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_VERSION, struct backup, version,    "version",    "Version of the server.",                                                    .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_EPOCH,   struct backup, epoch,      "epoch",      "Epoch of the server.",                                                      .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_FILES,   struct backup, files,      "files",      "How many files it has.",                                                    .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_BYTES,   struct backup, bytes,      "bytes",      "Bytes of all its files.",                                                   .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_COPIED,  struct backup, copied,     "copied",     "Bytes that were written for it; others it shares with the server or with earlier backups.", .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_DAMAGED, struct backup, damaged,    "damaged",    "Files of assets that were damaged on the server's disk and are left out.",  .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_ROOT,    struct backup, root,       "root",       "SHA-256 of the list of its files and their digests, in hex.",               .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_LINEAGE, struct backup, lineage,    "lineage",    "Names the store that its tables come from.",                                .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_REASON,  struct backup, reason,     "reason",     "Why it failed, or why the log does not go on.",                             .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_POSITION, struct backup, position,  "position",   "Number of the newest commit when it began.",                                .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_REACHED, struct backup, reached_us, "reached_us", "Nothing that was written after this time is in it, in microseconds since 1970.", .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_CHAIN,   struct backup, chain,      "chain",      "Names what `backup.log` has from it on without a gap.",                     .flags = FIELD_OPTIONAL),
    FIELD(BACKUP_UNTIL,   struct backup, until_us,   "until_us",   "The log reaches until this time, in microseconds since 1970: a restore can go to any time from the backup on.", .flags = FIELD_OPTIONAL),
};
// clang-format on

const struct schema backup_schema = SCHEMA(struct backup, "backup", "backups", fields);
const struct view backup_view_full = {.of = &backup_schema, .name = ""};
