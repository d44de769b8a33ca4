// scene_remains.h - what a deleted scene still holds: its registrations and corrections. They go in
// slices, as there may be ten thousand of each; nobody finds the scene meanwhile.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_REMAINS_H
#define DIORAMA_ACTORS_SCENE_SCENE_REMAINS_H

#include "actors/runtime/actor.h"

struct scene_state;
struct shard;

// The message that drops what the scene holds, whose deletion is durable; yours, to be dispatched.
struct message *scene_remains_message(struct scene_state *scene);
// REMAINS_DROP: the next slice.
enum error remains_drop(actor_t *actor, struct message *message);

#endif
