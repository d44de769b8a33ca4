// key_lookup.h - where a generated key lives that is not in memory. Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_KEY_LOOKUP_H
#define DIORAMA_ACTORS_SCENE_KEY_LOOKUP_H

#include "actors/runtime/actor.h"
#include "actors/scene/entity/entity_kind.h"
#include "actors/scene/scene_cache.h"

struct shard;

// Brings what is in the scene of the key into memory: parks the message, which runs again then, or
// ERR_NOT_FOUND. Where the message does without the others the entity alone is read
// (entity_pages.h, entity_apart.h).
fallible key_look_up(struct shard *self, const struct entity_kind *kind, const struct text *key,
                     enum scene_need need, struct message *message);
// LOADED: the place of a key.
enum error key_looked_up(struct shard *self, struct message *answer);

void key_lookups_finish(struct shard *self);

#endif
