// scene_wake.h - requests that waited for the entities of a scene go on, in slices: there may be as
// many as the server has connections, and each may be a query.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_WAKE_H
#define DIORAMA_ACTORS_SCENE_SCENE_WAKE_H

#include "actors/runtime/actor.h"

struct shard;
struct scene_state;

// The entities are in memory: what waits for them runs, in the order in which it came. What comes
// before all of it has run waits behind it (scene_cache_need), so that of two updates the later one
// stays the later one.
void scene_wake_begin(struct shard *self, struct scene_state *scene);

// SCENE_WAKE: a slice of that.
enum error scene_wake_slice(actor_t *actor, struct message *message);

#endif
