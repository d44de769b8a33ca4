// entity_cache.h - the entities in memory, of all scenes.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_CACHE_H
#define DIORAMA_ACTORS_SCENE_ENTITY_CACHE_H

#include "actors/runtime/actor.h"
#include "actors/scene/entity/entity_kind.h"

struct shard;
struct scene_state;

// The cached entity with this generated key, or NULL.
const frozen_t *entity_cache_find(const struct shard *self, const struct entity_kind *kind,
                                  const struct text *key);
// Whether a cached entity of any kind has this generated key.
bool entity_cache_is_known(const struct shard *self, const struct text *key);
// The state of the entity that is cached, or NULL.
const frozen_t *entity_cache_newest(const struct shard *self, const struct scene_state *scene,
                                    const frozen_t *entity);
// Puts or replaces one.
void entity_cache_put(struct shard *self, struct scene_state *scene, const frozen_t *entity);
void entity_cache_remove(struct shard *self, struct scene_state *scene, const frozen_t *entity);
// The orders of its objects took `before` bytes: what they take now is counted.
void entity_cache_count_orders(struct shard *self, struct scene_state *scene, size_t before);
// Takes all out of a scene: nobody finds them from now on. Their memory is freed, in slices, once
// the message is dispatched. NULL where there are none.
struct message *entity_cache_take(struct shard *self, struct scene_state *scene);
// Those of one kind that this message has.
struct record_set *entity_cache_taken(struct message *message, enum entity_place place);
// Removes all of a scene: nobody finds them from now on, and their memory is freed in slices.
void entity_cache_drop(struct shard *self, struct scene_state *scene);
// ENTITIES_DROP: frees a slice of the entities of a scene that left.
enum error entities_drop(actor_t *actor, struct message *message);

#endif
