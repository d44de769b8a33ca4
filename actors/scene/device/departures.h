// departures.h - devices that leave a scene, and their locks with them.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEPARTURES_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEPARTURES_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_set.h"

struct shard;
struct scene_state;

enum { RELEASED_PER_COMMIT = 300, DEPARTURE_WRITES = 900 };

// Stages that a device leaves; two writes.
void device_stage_departure(struct shard *self, struct message *message, struct scene_state *scene,
                            const frozen_t *device);
// Stages the release of the locks of these devices in the scene, whose objects are in memory; there
// is room for RELEASED_PER_COMMIT. Where that is not enough the message waits for the next batch.
fallible departures_release(struct shard *self, struct message *message, struct scene_state *scene,
                            const struct record_set *leaving);
// Stages the departure of the devices that are not of the scene's owner; there is room for
// DEPARTURE_WRITES. The same where that is not enough.
fallible departures_hide(struct shard *self, struct message *message, struct scene_state *scene);
// EXPEL: the devices of a user leave the scenes that the user may not read any more.
enum error device_expel(actor_t *actor, struct message *message);

#endif
