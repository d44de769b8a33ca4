// chosen_keys.h - keys that clients chose for the entities that they create. Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_CHOSEN_KEYS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_CHOSEN_KEYS_H

#include "actors/scene/entity/entity_kind.h"
#include "proto/message/message.h"

struct shard;
struct scene_state;

// Whether there are some among what is left of the request, whose entities have their keys. Then it
// must be known what is in the scene.
bool chosen_keys_are_there(const struct message *message, const struct entity_kind *kind);

// Whether each of them is free, in the scene (NULL = it is new) and in the request. Fails with
// ERR_CONFLICT.
fallible chosen_keys_check(struct shard *self, struct message *message,
                           const struct entity_kind *kind, const struct scene_state *scene);

#endif
