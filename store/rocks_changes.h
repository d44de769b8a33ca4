// rocks_changes.h - reads commits back from RocksDB's log, and removes logs that nobody needs any
// more. Only the engine includes it (rocks.c); store.h says what the calls promise.
//
// RocksDB moves a log that recovery does not need into <store>/archive, where the database keeps
// its logs (keeps_log). A commit begins with a stamp: bytes of ours that RocksDB writes into the
// log and nowhere else.
#ifndef DIORAMA_STORE_ROCKS_CHANGES_H
#define DIORAMA_STORE_ROCKS_CHANGES_H

#include "store/rocks_database.h"

enum { ROCKS_PART_SIZE = 2, ROCKS_VERSION_SIZE = 8 }; // before each key, before each value

enum { ROCKS_READERS = 4 }; // places of the log that are read at the same time

// One place of the log.
struct rocks_reader {
    rocksdb_wal_iterator_t *iterator; // stands on the batch that ends at `position`; NULL = nowhere
    uint64_t position;
    uint64_t used; // the visit that used it last
};

// Embedded; all zero is one that has read nothing.
struct rocks_changes {
    struct rocks_reader readers[ROCKS_READERS];
    uint64_t visits;
    struct store_operation *operations; // of the commit that is read
    size_t capacity;
    uint64_t archived_until; // what the logs up to archived_last have is not beyond
    uint64_t archived_last;  // number of a log; 0 = not looked yet
};

// Puts a stamp at the end of the batch: the time, and the id of the commit that follows.
void rocks_changes_stamp(rocksdb_writebatch_t *batch, store_version_t id);

uint64_t rocks_changes_position(const struct rocks_database *database);

enum store_result rocks_changes_visit(struct rocks_changes *self, struct rocks_database *database,
                                      uint64_t after, size_t bytes, store_change_visitor *visit,
                                      void *context);

// `path`: the folder of the database.
void rocks_changes_release(struct rocks_changes *self, struct rocks_database *database,
                           const char *path, uint64_t position, uint64_t kept, uint64_t most);

// Removes the logs that an earlier start kept.
void rocks_changes_clear(const char *path);

// Must be called before the database is closed. What follows reads anew.
void rocks_changes_close(struct rocks_changes *self);
void rocks_changes_finish(struct rocks_changes *self);

#endif
