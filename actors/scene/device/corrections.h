// corrections.h - what devices said of where they stand, beside the devices of each scene.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_CORRECTIONS_H
#define DIORAMA_ACTORS_SCENE_DEVICE_CORRECTIONS_H

#include "actors/runtime/staging.h"

struct shard;
struct scene_state;
struct message;

enum { CORRECTION_WRITES = 3 }; // at most, of correction_stage

// The correction with this id as it will be, or NULL.
const frozen_t *correction_latest(const struct shard *self, const struct scene_state *scene,
                                  const struct text *id);
// Stages the correction that the transform of `device` (loose, as it will be) is, and names it
// there. There is room for CORRECTION_WRITES. The caller stages the device itself afterwards.
void correction_stage(struct shard *self, struct message *message, struct scene_state *scene,
                      struct record *device);
// About what correction_stage_end writes.
size_t correction_end_bytes(const struct shard *self, struct scene_state *scene,
                            const struct record *device);
// Stages the end of the registration of a device, as its newest correction says it; one write.
void correction_stage_end(struct shard *self, struct message *message, struct scene_state *scene,
                          const struct record *device);
// The correction will be removed: the one before it says from now on where the registration ended;
// one write.
void correction_stage_hand_down(struct shard *self, struct message *message,
                                struct scene_state *scene, const frozen_t *removed);

// A change of a correction is durable.
void correction_committed(struct shard *self, const struct change *change);
// A correction was read at the start.
void correction_known(struct shard *self, struct scene_state *scene, const frozen_t *correction);
// A correction ends with its scene, whose set it has left.
void correction_gone_with_scene(struct shard *self, struct scene_state *scene,
                                const frozen_t *correction);
// A device is registered as the record says, or no more.
void corrections_device_here(struct shard *self, const struct scene_state *scene,
                             const frozen_t *device);
void corrections_device_gone(struct shard *self, const struct scene_state *scene,
                             const struct text *device);
// Sends what was committed to the solver.
void corrections_tell(struct shard *self);

#endif
