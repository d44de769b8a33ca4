// write_behind.h - entities whose newest state came by UDP and is not on disk yet: each is written
// within 50 ms, in one commit with the others.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_WRITE_BEHIND_H
#define DIORAMA_ACTORS_SCENE_ENTITY_WRITE_BEHIND_H

#include "actors/scene/entity/entity_kind.h"

// This is the entity's newest state.
void write_behind_put(struct shard *self, struct scene_state *scene, const frozen_t *entity);
// The same, and stages it now where there is room in the filling batch.
void write_behind_stage(struct shard *self, struct scene_state *scene, const frozen_t *entity);
// A state of the entity could not be written: the newest one is, unless the entity is gone.
void write_behind_again(struct shard *self, struct scene_state *scene, const frozen_t *entity);
// The entity's newest state is durable, or the entity is gone.
void write_behind_forget(struct shard *self, const struct scene_state *scene,
                         const frozen_t *entity);
// Stages what is due; at the end of the actor all of it.
void write_behind_turn(struct shard *self);
void write_behind_finish(struct shard *self);

#endif
