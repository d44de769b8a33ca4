// departures.h - devices that leave a scene, and their locks with them.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEPARTURES_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEPARTURES_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_set.h"

struct shard;
struct scene_state;

enum { DEPARTED_PER_COMMIT = 200 };

// Stages that these devices leave, in slices of DEPARTED_PER_COMMIT: the message waits for the next
// batch, and runs again, until the last slice is staged. There is room then for one more record of
// `beside` bytes (0 = none). Their locks follow (held_locks.h).
fallible departures_stage(struct shard *self, struct message *message, struct scene_state *scene,
                          struct record_set *leaving, size_t beside);
// The same for the devices that are not of the scene's owner.
fallible departures_hide(struct shard *self, struct message *message, struct scene_state *scene,
                         size_t beside);
// The device of the path leaves. Fails with ERR_NOT_FOUND where it is not registered.
enum error device_delete(actor_t *actor, struct message *message);
// EXPEL: the devices of a user leave the scenes that the user may not read any more.
enum error device_expel(actor_t *actor, struct message *message);

#endif
