// device_set.h - the devices of a scene as they will be.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_SET_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_SET_H

#include "actors/runtime/record_set.h"

struct shard;
struct scene_state;

// The device as it will be in the scene, or NULL.
const frozen_t *device_latest(struct shard *self, struct scene_state *scene,
                              const struct text *key);
// Puts the scene's devices as they will be into `set`, which is empty.
void devices_latest(struct shard *self, struct scene_state *scene, struct record_set *set);

// How many devices the scene will have. It goes through all that is staged.
size_t devices_latest_count(struct shard *self, struct scene_state *scene);

#endif
