// rocks_memory.h - what an open RocksDB database has in memory, told to the metrics. All of it is
// bounded by the options of rocks_database.c. Only the engine includes it (rocks.c).
#ifndef DIORAMA_STORE_ROCKS_MEMORY_H
#define DIORAMA_STORE_ROCKS_MEMORY_H

#include <stdatomic.h>

#include "store/rocks_database.h"

enum rocks_memory_kind {
    ROCKS_MEMTABLES,   // what is not in a table file yet
    ROCKS_BLOCK_CACHE, // blocks of table files
    ROCKS_TABLES,      // open table files
    ROCKS_MEMORY_KINDS,
};

// Embedded; all zero is a database of which nothing was told.
struct rocks_memory {
    _Atomic uint64_t looked_ms; // the next look is a second later
    atomic_flag is_looking;
    uint64_t told[ROCKS_MEMORY_KINDS];
};

// Tells the gauges, at most once a second. Any thread, while the database is open.
void rocks_memory_tell(struct rocks_memory *self, const struct rocks_database *database);

#endif
