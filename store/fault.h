// fault.h - an engine over another one that injects faults, by test flag.
#ifndef DIORAMA_STORE_FAULT_H
#define DIORAMA_STORE_FAULT_H

#include "store/store.h"

// Wraps *inner (taken). `plan` is a comma-separated list of
//   latency=MS         every commit takes that long
//   read-latency=MS    every get and scan takes that long
//   unavailable=N      every N-th commit answers UNAVAILABLE, nothing written
//   full=N             every N-th commit answers FULL, nothing written
//   limit=BYTES        every commit of more bytes than that answers LIMIT, nothing written
//   conflict=N         every N-th commit answers CONFLICT, nothing written
//   unknown=N          every N-th commit answers UNKNOWN; every second of these was written
//   kill-before=N      the process kills itself with SIGKILL before the N-th commit, counted from 1
//   kill-after=N       the same after it
//   file=PATH          the plan is read from this file instead, again whenever the file changes
// Fails with ERR_INVALID on anything else.
fallible fault_wrap(store_t **inner, const char *plan, store_t **ret_store);

#endif
