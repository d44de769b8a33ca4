// scene_preconditions.h - If-Match and If-None-Match of requests that change a scene or an entity,
// against its state as it will be. They fail with ERR_PRECONDITION.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_PRECONDITIONS_H
#define DIORAMA_ACTORS_SCENE_SCENE_PRECONDITIONS_H

#include "actors/scene/entity/entity_kind.h"

struct scene_state;

fallible preconditions_check_entity(const struct message *message, const struct entity_kind *kind,
                                    const struct entity *entity);
// Against the scene with its devices; NULL = there is none.
fallible preconditions_check_scene(struct shard *self, struct message *message,
                                   struct scene_state *scene);

#endif
