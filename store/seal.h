// seal.h - the seal that a clean stop leaves beside the store's files: their list, with sizes and
// digests. The next start compares it with the files. RocksDB alone cannot notice a change: it
// takes a damaged end of a log for a torn one, which a crash leaves. After a crash there is no
// seal.
#ifndef DIORAMA_STORE_SEAL_H
#define DIORAMA_STORE_SEAL_H

#include <stdbool.h>

#include "proto/base/error.h"

// Seals the files of the closed database in the directory `path`, synced. If it fails, that is
// logged and there is no seal.
void seal_put(const char *path);

// Removes the seal, if there is one, before anything else changes. If a file has changed, fails
// with ERR_UNAVAILABLE and a detail that says what to do, and keeps the seal; with `tolerant` the
// change is only logged.
fallible seal_break(const char *path, bool tolerant);

#endif
