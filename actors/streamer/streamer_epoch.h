// streamer_epoch.h - the number of this start. An event's place is (epoch, seq), so no two
// histories of a scene may share an epoch: not those of two starts, and not the one before and the
// one after a backup was put back, whose counter would begin again where it was. So the calendar
// counts too.
#ifndef DIORAMA_ACTORS_STREAMER_STREAMER_EPOCH_H
#define DIORAMA_ACTORS_STREAMER_STREAMER_EPOCH_H

#include "actors/runtime/timeline.h"
#include "store/store.h"

enum { EPOCH_RANDOM_BITS = 10 };
#define EPOCH_LIMIT (UINT64_C(1) << 53) // browsers read it as a double

// The epoch after `last`: milliseconds of the calendar, then EPOCH_RANDOM_BITS of `random`; at
// least last + 1, so that it grows although the clock was set back. Below EPOCH_LIMIT until the
// year 2248.
uint64_t epoch_after(uint64_t last, uint64_t calendar_us, uint32_t random);

// The epoch of the last start; 0 = there was none, so nothing is stored. Fails where the store
// cannot be read.
fallible streamer_last_epoch(store_t *store, uint64_t *ret_epoch);

// The epoch of a new start; it is on disk when this returns, with the position of the store before
// it. `lineage` names the store (backup_lineage). *ret_timeline: the starts of this store, with
// this one. Fails where the store cannot be read or written.
fallible streamer_next_epoch(store_t *store, const char *lineage, struct timeline *ret_timeline,
                             uint64_t *ret_epoch);

#endif
