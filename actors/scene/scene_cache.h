// scene_cache.h - which scenes have their entities in memory. A request that needs those of another
// one is parked and runs again when they are read.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_CACHE_H
#define DIORAMA_ACTORS_SCENE_SCENE_CACHE_H

#include "actors/runtime/actor.h"
#include "actors/scene/entity/entity_kind.h"

struct shard;
struct scene_state;

// What a message needs of the entities of a scene.
enum scene_need { NEED_WHOLE, NEED_TO_READ, NEED_TO_WRITE };

// Parks the message until the scene's entities are in memory; OK where they are. Marks the use.
fallible scene_cache_need(struct shard *self, struct scene_state *scene, struct message *message);
// The same for readers, who do without where they are more than memory holds: OK, and *ret_is_vast.
// They go through pages then (entity_pages.h).
fallible scene_cache_need_to_read(struct shard *self, struct scene_state *scene,
                                  struct message *message, bool *ret_is_vast);

// The same for who writes one entity, and has it read alone while the others stay on disk
// (entity_apart.h): OK, and *ret_is_apart. That is so where there is much in the scene: always
// where memory cannot hold it, else for the first writes.
fallible scene_cache_need_to_write(struct shard *self, struct scene_state *scene,
                                   struct message *message, bool *ret_is_apart);
// The one of these that a message needs.
fallible scene_cache_need_for(struct shard *self, enum scene_need what, struct scene_state *scene,
                              struct message *message, bool *ret_is_apart);
// The same for who creates entities with generated keys, and needs none that is there: OK too where
// they are on disk, and nobody waits for them.
fallible scene_cache_need_to_create(struct shard *self, struct scene_state *scene,
                                    struct message *message);
// A change of an entity that was staged while the scene was on disk (scene_state.unread) is
// durable, or never will be.
void scene_cache_unread_settled(struct shard *self, struct scene_state *scene);
// Begins to read them for the messages that wait in the scene, which is on disk.
void scene_cache_read(struct shard *self, struct scene_state *scene);
// The same where `first`, which it takes, has the first of them: a slice read with the scene.
void scene_cache_read_on(struct shard *self, struct scene_state *scene, struct message *first);
// LOADED: entities of a scene.
enum error scene_cache_loaded(struct shard *self, struct message *message);

// The scene is used now: of the scenes that are awake it leaves memory last.
void scene_cache_mark_use(struct shard *self, struct scene_state *scene);
// A scene that is being created has its (no) entities in memory from the start.
void scene_cache_admit_new(struct shard *self, struct scene_state *scene);
// The scene is in the index from now on.
void scene_cache_enter(struct shard *self, struct scene_state *scene);
// Drops the entities of a deleted scene. What waited for them runs again when its commit is
// applied.
void scene_cache_forget(struct shard *self, struct scene_state *scene);
// The least recently used scenes that have no unwritten change leave memory while more than
// scene.memory is taken.
void scene_cache_evict(struct shard *self);
void scene_cache_finish(struct shard *self);

#endif
