// folder_lock.h - one process at a time has a store's folder. RocksDB locks its files too, but lets
// go before a stop has sealed them and takes them after a start has broken the seal: a server that
// starts while another one stops would leave the seal of one beside the files of the other.
// The kernel releases the lock when a process dies, so a kill leaves nothing behind.
#ifndef DIORAMA_STORE_FOLDER_LOCK_H
#define DIORAMA_STORE_FOLDER_LOCK_H

#include <stdint.h>

#include "proto/base/error.h"

// How long a start waits for a server that stops: longer than any stop takes.
enum { FOLDER_LOCK_WAIT_MS = 6000 };

// Makes the folder `path` if it is missing and locks it for this process; `*ret_lock` is a
// descriptor, yours. Waits until `deadline_ms` for another process. Fails with ERR_UNAVAILABLE and
// a detail that says what to do.
fallible folder_lock_take(const char *path, uint64_t deadline_ms, int *ret_lock);

// Releases the lock; nothing where `*lock` is -1.
void folder_lock_release(int *lock);

#endif
