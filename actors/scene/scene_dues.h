// scene_dues.h - what scenes and registrations take from the budgets of who pays for them (dues.h).
#ifndef DIORAMA_ACTORS_SCENE_SCENE_DUES_H
#define DIORAMA_ACTORS_SCENE_SCENE_DUES_H

#include "actors/runtime/staging.h"

struct shard;
struct scene_state;

// Whether the caller may have one more scene: `scene`, loose.
fallible scene_dues_check_new(struct shard *self, const struct message *message,
                              const struct record *scene);
// Whether the scene may become `after`, loose.
fallible scene_dues_check_change(struct shard *self, const struct message *message,
                                 const frozen_t *before, const struct record *after);
// Whether the caller may register `count` more devices.
fallible scene_dues_check_devices(struct shard *self, const struct message *message, size_t count);

// A record under `tag` was read at the start.
void scene_dues_enter(struct shard *self, key_tag_t tag, const frozen_t *record);

// A change is staged; it is durable, or dropped. Entities: scene_holdings.h.
void scene_dues_staged(struct shard *self, key_tag_t tag, const frozen_t *before,
                       const frozen_t *after);
void scene_dues_settled(struct shard *self, const struct change *change);
void scene_dues_dropped(struct shard *self, const struct change *change);

// A registration ends with its scene.
void scene_dues_device_gone(struct shard *self, const frozen_t *device);

#endif
