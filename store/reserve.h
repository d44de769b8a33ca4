// reserve.h - an engine over another that keeps some of the disk back: it refuses commits before
// the disk is full, while everything else that needs space (the log, flushes, compactions) still
// has some. Reads go on.
#ifndef DIORAMA_STORE_RESERVE_H
#define DIORAMA_STORE_RESERVE_H

#include "store/store.h"

// Says how many bytes are free on the file system of `path`; false where nobody knows.
typedef bool reserve_meter(const char *path, uint64_t *ret_free);

// The one of the system.
bool reserve_measure(const char *path, uint64_t *ret_free);

// Wraps *inner (taken). Commits and ping answer FULL while less than `bytes` are free at `path`,
// and until a quarter more than that is free again; vital commits are let through. `meter` is asked
// once a second at most, besides after each sixteenth of `bytes` written and after a failed commit.
void reserve_wrap(store_t **inner, const char *path, uint64_t bytes, reserve_meter *meter,
                  store_t **ret_store);

#endif
