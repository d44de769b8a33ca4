// scene_cascade.h - tells of each object of a deleted scene, and then of the scene, in slices.
// Until that is done no scene is made under its key: the events of the two do not mix.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_CASCADE_H
#define DIORAMA_ACTORS_SCENE_SCENE_CASCADE_H

#include "actors/runtime/actor.h"

struct scene_state;
struct shard;

// The deletion of the scene, which has its objects in memory, is durable. Takes its entities.
// `record` is what it was.
void scene_cascade_begin(struct shard *self, struct scene_state *scene, const frozen_t *record);
// CASCADE: tells of the next slice.
enum error scene_cascade_slice(actor_t *actor, struct message *message);
// Tells of the scene itself, as the last event of it.
void scene_cascade_tell_end(struct shard *self, struct scene_state *scene, const frozen_t *record);
// PARKED, and takes the message, while a scene with the key that it names is not told of to its
// end; it runs again then.
fallible scene_cascade_await(struct shard *self, struct message *message);
// Whether a scene with this key is not told of to its end.
bool scene_cascade_is_under_way(const struct shard *self, const struct text *key);
void scene_cascades_finish(struct shard *self);

#endif
