// scene_cache.h - which scenes have their entities in memory. A request that needs those of another
// one is parked and runs again when they are read.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_CACHE_H
#define DIORAMA_ACTORS_SCENE_SCENE_CACHE_H

#include "actors/runtime/actor.h"
#include "actors/scene/entity/entity_kind.h"

struct shard;
struct scene_state;

// Parks the message until the scene's entities are in memory; OK where they are. Marks the use.
fallible scene_cache_need(struct shard *self, struct scene_state *scene, struct message *message);

// Finds where a generated key lives that is not in memory: parks the message, or ERR_NOT_FOUND.
fallible scene_cache_look_up(struct shard *self, const struct entity_kind *kind,
                             const struct text *key, struct message *message);

// LOADED: entities of a scene, or the place of a key.
enum error scene_cache_loaded(actor_t *actor, struct message *message);

// The scene is used now: of the scenes in memory it is evicted last.
void scene_cache_mark_use(struct shard *self, struct scene_state *scene);
// A scene that is being created has its (no) entities in memory from the start.
void scene_cache_admit_new(struct shard *self, struct scene_state *scene);
// The scene is in the index from now on.
void scene_cache_enter(struct shard *self, struct scene_state *scene);
// Drops the entities of a deleted scene. What waited for them runs again when its commit is
// applied.
void scene_cache_forget(struct shard *self, struct scene_state *scene);
// Drops the least recently used scenes that have no unwritten change while more than scene.memory
// is cached.
void scene_cache_evict(struct shard *self);
void scene_cache_finish(struct shard *self);

#endif
