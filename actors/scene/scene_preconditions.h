// scene_preconditions.h - If-Match and If-None-Match of requests that change a scene or an entity,
// against its state as it will be. They fail with ERR_PRECONDITION.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_PRECONDITIONS_H
#define DIORAMA_ACTORS_SCENE_SCENE_PRECONDITIONS_H

#include "actors/scene/entity/entity_kind.h"

struct scene_state;

// OK holds as long as the handler runs. PARKED: the tag of much is worked out in slices; the
// handler runs again, and goes on; what it found before may have changed. They fail with
// ERR_UNAVAILABLE too, if the record changes again and again meanwhile.

// Against an object or property of the scene.
enum error preconditions_check_entity(struct shard *self, struct message *message,
                                      const struct entity_kind *kind, struct scene_state *scene,
                                      const frozen_t *entity);
// The same only if that has begun: before work that would be done again in each turn.
enum error preconditions_go_on(struct shard *self, struct message *message,
                               const struct entity_kind *kind, struct scene_state *scene,
                               const frozen_t *entity);
// Against the scene with its devices; NULL = there is none.
enum error preconditions_check_scene(struct shard *self, struct message *message,
                                     struct scene_state *scene);
// In each slice of a request that replaces the record of the scene (NULL = it is gone): what its
// first slices have changed is its own doing, but if somebody else has changed or deleted the scene
// since, the conditions that were met do not hold any more.
enum error preconditions_still_hold(struct shard *self, const struct message *message,
                                    const struct scene_state *scene);

#endif
