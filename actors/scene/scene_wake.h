// scene_wake.h - a scene at rest (scene_rest.h) wakes when a message is about it: its state is
// made, what users hold in it and its newest fence are read, and the message goes on. Scene actor's
// thread.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_WAKE_H
#define DIORAMA_ACTORS_SCENE_SCENE_WAKE_H

#include "actors/runtime/actor.h"
#include "actors/scene/scene_cache.h"

struct shard;
struct scene_state;

// What the message is about, by the key of its scene, is awake (OK), or will be (PARKED): the row
// `prepare` of the actor. OK too where there is no such scene.
enum error scene_wake_of(actor_t *actor, struct message *message);
// Wakes the scene at rest with this record: always PARKED, the message goes on then.
enum error scene_wake(struct shard *self, const packed_t *record, struct message *message);
// The same, and what is in the scene is read too before the message goes on, as far as it needs it.
enum error scene_wake_whole(struct shard *self, const packed_t *record, enum scene_need need,
                            struct message *message);
// The state of the scene with this record, which is waking.
struct scene_state *scene_that_wakes(const struct shard *self, const packed_t *record);
// LOADED: what was read of a scene that wakes.
enum error scene_wake_loaded(struct shard *self, struct message *answer);
// Wakes it at once, where all that is stored of it is being read anyway: at the start.
struct scene_state *scene_wake_at_start(struct shard *self, const packed_t *record);

void scene_wake_finish(struct shard *self);

#endif
