// reserve.h - an engine over another one that keeps some of the disk back: it refuses commits
// before the disk is full, so that everything else that needs space (the log, flushes, compactions)
// still has some. Reads continue.
#ifndef DIORAMA_STORE_RESERVE_H
#define DIORAMA_STORE_RESERVE_H

#include "store/store.h"

// Measures the free bytes of the file system of `path`; false if they are unknown.
typedef bool reserve_meter(const char *path, uint64_t *ret_free);

// The meter of the system.
bool reserve_measure(const char *path, uint64_t *ret_free);

// Wraps *inner (taken). Commits and ping answer FULL while less than `bytes` are free at `path`,
// and then until a quarter more is free; vital commits are let through. `meter` is called once a
// second at most, and also after each sixteenth of `bytes` written and after a failed commit.
void reserve_wrap(store_t **inner, const char *path, uint64_t bytes, reserve_meter *meter,
                  store_t **ret_store);

// The same, and a thread of its own looks each second: the metric follows the disk where nobody
// writes. Without that thread, which may not be had, it follows as above.
void reserve_wrap_watched(store_t **inner, const char *path, uint64_t bytes, reserve_meter *meter,
                          store_t **ret_store);

#endif
