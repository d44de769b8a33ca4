// entity_lookup.h - entities by their keys.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_LOOKUP_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_LOOKUP_H

#include "actors/scene/entity/entity_kind.h"

// The durable entity with this key, for readers: a generated key is found whatever scene the URL
// names, a chosen one in that scene only. ERR_NOT_FOUND, or PARKED while its scene is being read.
fallible entity_find(struct shard *self, struct message *message, const struct entity_kind *kind,
                     const struct text *key, const frozen_t **ret_entity);
// The same for who needs no more than the entity: where its scene has more in it than memory holds,
// it is read alone, and is valid while the message is.
fallible entity_read(struct shard *self, struct message *message, const struct entity_kind *kind,
                     const struct text *key, const frozen_t **ret_entity);
// The same as it will be, for writers, and its scene.
fallible entity_latest(struct shard *self, struct message *message, const struct entity_kind *kind,
                       const struct text *key, struct scene_state **ret_scene,
                       const frozen_t **ret_entity);
// The same for who needs no more than the entity: where there is much in its scene, and that is not
// in memory, it is read alone.
fallible entity_latest_alone(struct shard *self, struct message *message,
                             const struct entity_kind *kind, const struct text *key,
                             struct scene_state **ret_scene, const frozen_t **ret_entity);
// The same in this scene, whoever asks; NULL where there is none.
fallible entity_latest_alone_in_scene(struct shard *self, struct message *message,
                                      const struct entity_kind *kind, struct scene_state *scene,
                                      const struct text *key, const frozen_t **ret_entity);
// Whether the entity (as it will be) has a change that is not durable yet.
bool entity_is_staged(const struct shard *self, const struct scene_state *scene,
                      const frozen_t *entity);
// The entity with this key in a scene that is in memory, as it will be; NULL where there is none.
const frozen_t *entity_latest_in_scene(const struct shard *self, const struct entity_kind *kind,
                                       const struct scene_state *scene, const struct text *key);

#endif
