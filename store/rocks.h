// rocks.h - the RocksDB engine: one directory, one column family per family.
#ifndef DIORAMA_STORE_ROCKS_H
#define DIORAMA_STORE_ROCKS_H

#include "store/store.h"

// Opens the database in the directory `path`; creates it (not the directories above) if it is
// absent. `sync`: a commit is on the disk when it returns. `point_in_time`: a damaged log is read
// up to the damage instead of being refused. Fails with ERR_UNAVAILABLE and a detail that says what
// to do: another process has it open, no permission, damage, no space.
// `data` is the folder above, where the data of an older version are kept before they are changed
// (before_upgrade.h); NULL: they are not kept. `keeps_log`: what is committed is kept for
// store_changes until store_release.
fallible rocks_open_in(const char *data, const char *path, bool sync, bool point_in_time,
                       bool keeps_log, store_t **ret_store);

// The same, where nothing is to be kept.
fallible rocks_open(const char *path, bool sync, bool point_in_time, store_t **ret_store);

// The same, and what is committed is kept for store_changes until store_release.
fallible rocks_open_keeping(const char *path, bool sync, bool point_in_time, store_t **ret_store);

// The end of the newest commit in a database that nobody has open, a checkpoint; it is not changed.
// Fails as rocks_open.
fallible rocks_position_in(const char *path, uint64_t *ret_position);

#endif
