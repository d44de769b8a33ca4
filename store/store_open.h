// store_open.h - the store of a configuration.
#ifndef DIORAMA_STORE_STORE_OPEN_H
#define DIORAMA_STORE_STORE_OPEN_H

#include "proto/config/config.h"
#include "store/store.h"

// Opens the store of `config`: the database of store.uri, or RocksDB under data.dir, behind the
// space that store.reserve keeps back; either behind the faults that store.fault asks for. With
// backup.log or replica.endpoint RocksDB keeps its changes. Fails with ERR_UNAVAILABLE and a detail
// that says what to do (corrupt log, another server running, no permission).
fallible store_open(const struct config *config, store_t **ret_store);

// The position of a checkpoint in `folder` (store_position), exactly; it is read, not changed.
// Fails as store_open.
fallible store_position_in(const char *folder, uint64_t *ret_position);

#endif
