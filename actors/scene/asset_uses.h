// asset_uses.h - ASSET_USES: pages of the scenes and objects of one scene actor that name an asset,
// of those that the caller may see. They stand in the order of partitions.
#ifndef DIORAMA_ACTORS_SCENE_ASSET_USES_H
#define DIORAMA_ACTORS_SCENE_ASSET_USES_H

#include "actors/runtime/actor.h"

struct shard;

// Answers one page; parked while it is read. Fails with ERR_INVALID (`after`, `limit`), and with
// ERR_UNAVAILABLE where the store cannot be read or the time is over.
enum error asset_uses(actor_t *actor, struct message *message);

// A slice of them was read (use_slice.h). Takes the answer. PARKED.
enum error asset_uses_loaded(struct shard *self, struct message *answer);

#endif
