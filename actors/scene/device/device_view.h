// device_view.h - what answers show of the devices in a scene.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_VIEW_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_VIEW_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_set.h"
#include "proto/records/scene.h"

struct shard;

// A loose copy of a scene's record, in the message's arena, with these devices as the caller may
// see them.
struct scene *scene_with_devices(struct shard *self, struct message *message,
                                 const struct record *scene, struct record_set *devices);

// Write the answer of REGISTER, and of ALIGN and DEREGISTER, from what is durable now.
enum error registration_answer(actor_t *actor, struct message *message, enum error error);
enum error devices_answer(actor_t *actor, struct message *message, enum error error);

#endif
