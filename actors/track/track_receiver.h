// track_receiver.h - the thread that receives the poses of tracked cameras by OpenTrackIO and sends
// them to the scene actors, as updates by UDP.
#ifndef DIORAMA_ACTORS_TRACK_TRACK_RECEIVER_H
#define DIORAMA_ACTORS_TRACK_TRACK_RECEIVER_H

#include "proto/base/error.h"
#include "proto/config/config.h"

typedef struct track_receiver track_receiver_t;

// Listens for the sources of track.opentrackio; `shards` is the number of scene actors. NULL where
// there are none. Fails with ERR_UNAVAILABLE, the address in the detail.
fallible track_receiver_create(const struct config *config, unsigned shards,
                               track_receiver_t **ret_receiver);
// Ends the thread, then frees. Accepts NULL.
void track_receiver_destroy(track_receiver_t **self);

#endif
