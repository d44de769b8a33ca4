// streamer_epoch.h - the number of this start. An event's place is (epoch, seq); as the epoch is
// new at each start, a place never repeats (live-feed).
#ifndef DIORAMA_ACTORS_STREAMER_STREAMER_EPOCH_H
#define DIORAMA_ACTORS_STREAMER_STREAMER_EPOCH_H

#include "store/store.h"

// One more than at the last start; it is on disk when this returns. Fails where the store cannot be
// read or written.
fallible streamer_next_epoch(store_t *store, uint64_t *ret_epoch);

#endif
