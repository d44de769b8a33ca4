// rocks_database.h - an open RocksDB database: its handles, opening and closing. Only the engine
// includes it (rocks.c).
#ifndef DIORAMA_STORE_ROCKS_DATABASE_H
#define DIORAMA_STORE_ROCKS_DATABASE_H

#include <rocksdb/c.h>

#include "store/store.h"

// All NULL = closed.
struct rocks_database {
    rocksdb_t *handle;
    rocksdb_column_family_handle_t *fallback;               // RocksDB's `default`, empty
    rocksdb_column_family_handle_t *families[FAMILY_COUNT]; // NULL of those that are not open
    rocksdb_readoptions_t *reads;
    rocksdb_writeoptions_t *writes;
    bool keeps_log; // logs that recovery does not need any more stay, and commits note their time
};

enum rocks_mode {
    ROCKS_REFUSE_DAMAGE, // a log that is damaged before its end is an error
    ROCKS_POINT_IN_TIME, // a damaged log is read up to the damage
    ROCKS_READ_ONLY,     // nothing is written, not even the content of the log
};

// Opens the database in `path`; a mode that writes creates it if it is absent. `sync`: a write is
// on the disk when it returns. `keeps_log`: logs stay until rocks_changes removes them. Fails with
// ERR_UNAVAILABLE and a detail that says what to do.
fallible rocks_database_open(const char *path, enum rocks_mode mode, bool sync, bool keeps_log,
                             struct rocks_database *ret_database);

// Whether there is a database in `path` that version 0.1 wrote: without the families that came
// later.
bool rocks_database_is_older(const char *path);

// Opens such a one without those families, so that it stays what it is.
fallible rocks_database_open_older(const char *path, enum rocks_mode mode,
                                   struct rocks_database *ret_database);

// Every iterator is destroyed by then. The database may be closed already.
void rocks_database_close(struct rocks_database *self);

static inline void
rocks_text_free(char **text)
{
    rocksdb_free(*text);
    *text = NULL;
}

#endif
