// seal.h - what a clean stop leaves beside the store's files: their list, with sizes and digests.
// The next start sees by it whether they are still as they were left. RocksDB alone cannot: it
// takes a damaged end of a log for a torn one, which is what a crash leaves. After a crash there is
// no seal.
#ifndef DIORAMA_STORE_SEAL_H
#define DIORAMA_STORE_SEAL_H

#include <stdbool.h>

#include "proto/base/error.h"

// Seals the files of the closed database in the directory `path`, synced. A failure is logged and
// leaves no seal.
void seal_put(const char *path);

// Removes the seal before anything else changes, if there is one. Fails with ERR_UNAVAILABLE and a
// detail that says what to do where a file is not as it was left, and keeps the seal; with
// `tolerant` that is logged only.
fallible seal_break(const char *path, bool tolerant);

#endif
