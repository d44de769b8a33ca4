// rocks_records.h - records in an open RocksDB database. Only the engine includes it (rocks.c);
// store.h says what the calls promise.
#ifndef DIORAMA_STORE_ROCKS_RECORDS_H
#define DIORAMA_STORE_ROCKS_RECORDS_H

#include "store/rocks_database.h"

enum store_result records_get(struct rocks_database *self, const struct store_address *address,
                              store_version_t *ret_version, void **ret_value, size_t *ret_size);

enum store_result records_scan(struct rocks_database *self, const struct store_scan *scan,
                               uint64_t deadline_ms, store_visitor *visit, void *context);

// Whether the commit's guards hold: STORE_OK or STORE_CONFLICT.
enum store_result records_check(struct rocks_database *self, const struct store_commit *commit);

// Writes the commit's operations, whatever its guards. A commit without operations takes the same
// way as far as possible: an empty batch enters the log. Failures are logged here; the answer says
// what they mean.
enum store_result records_write(struct rocks_database *self, const struct store_commit *commit);

// Makes `folder` with all that is committed; what is in memory is written to tables first, so that
// the log that is copied is short.
enum store_result records_checkpoint(struct rocks_database *self, const char *folder);

#endif
