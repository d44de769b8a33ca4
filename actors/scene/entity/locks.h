// locks.h - locking objects.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_LOCKS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_LOCKS_H

#include "actors/runtime/actor.h"
#include "proto/records/object.h"

struct shard;
struct scene_state;

enum error object_lock(actor_t *actor, struct message *message);
enum error object_unlock(actor_t *actor, struct message *message);
// Stages the release of the object's lock, whoever holds it. `reason`: enum event_reason.
const frozen_t *lock_release(struct shard *self, struct message *message, struct scene_state *scene,
                             const frozen_t *object, uint8_t reason);

#endif
