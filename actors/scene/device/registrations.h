// registrations.h - devices come to scenes, say where they stand, and leave.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_REGISTRATIONS_H
#define DIORAMA_ACTORS_SCENE_DEVICE_REGISTRATIONS_H

#include "actors/runtime/actor.h"
#include "actors/runtime/staging.h"

struct shard;

enum error device_register(actor_t *actor, struct message *message);
enum error device_align(actor_t *actor, struct message *message);
enum error device_deregister(actor_t *actor, struct message *message);
// A slice of the request's devices is durable: whether there is another one.
bool registration_goes_on(struct message *message);

// A change of a registration is durable.
void device_committed(struct shard *self, const struct change *change);

#endif
