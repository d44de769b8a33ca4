// scenes.h - the operations on scenes.
#ifndef DIORAMA_ACTORS_SCENE_SCENES_H
#define DIORAMA_ACTORS_SCENE_SCENES_H

#include "actors/runtime/actor.h"
#include "actors/runtime/staging.h"

struct scene_state;
struct shard;

enum error scene_put(actor_t *actor, struct message *message);
enum error scene_create(actor_t *actor, struct message *message);
enum error scene_update(actor_t *actor, struct message *message);
enum error scene_get(actor_t *actor, struct message *message);
enum error scene_delete(actor_t *actor, struct message *message);
enum error scene_add_asset(actor_t *actor, struct message *message);
enum error scene_drop_asset(actor_t *actor, struct message *message);

// Stages the end of the scene, and of the relationships to what is in it.
fallible scene_stage_end(struct shard *self, struct message *message, struct scene_state *scene);

// A change of a scene's record is durable, or will never be.
void scene_committed(struct shard *self, const struct change *change);
void scene_dropped(struct shard *self, const struct change *change);

#endif
