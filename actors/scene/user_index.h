// user_index.h - in which scenes each user has devices: a user who loses access leaves them without
// a walk through all scenes.
#ifndef DIORAMA_ACTORS_SCENE_USER_INDEX_H
#define DIORAMA_ACTORS_SCENE_USER_INDEX_H

#include <stddef.h>

#include "proto/record/record.h"

struct scene_state;
struct shard;

// A registration (a device of a user) is durable, or ended. One of nobody is not entered.
void user_index_put(struct shard *self, struct scene_state *scene, const frozen_t *device);
void user_index_remove(struct shard *self, struct scene_state *scene, const frozen_t *device);

// The scenes of a user, one after another, also those that were deleted just now: start with
// *cursor = 0; the end is NULL. The index must not change meanwhile.
struct scene_state *user_index_next(const struct shard *self, const struct text *user,
                                    size_t *cursor);
void user_index_finish(struct shard *self);

#endif
