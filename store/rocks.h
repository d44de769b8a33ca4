// rocks.h - the RocksDB engine: one directory, one column family per family.
#ifndef DIORAMA_STORE_ROCKS_H
#define DIORAMA_STORE_ROCKS_H

#include "store/store.h"

// Opens the database in the directory `path`; creates it (not the directories above) if it is
// absent. `sync`: a commit is on the disk when it returns. `point_in_time`: a damaged log is read
// up to the damage instead of being refused. Fails with ERR_UNAVAILABLE and a detail that says what
// to do: another process has it open, no permission, damage, no space.
fallible rocks_open(const char *path, bool sync, bool point_in_time, store_t **ret_store);

#endif
