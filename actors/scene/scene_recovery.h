// scene_recovery.h - what a scene actor reads before it is ready: its scenes, their devices,
// unfinished sweeps.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_RECOVERY_H
#define DIORAMA_ACTORS_SCENE_SCENE_RECOVERY_H

#include "proto/base/error.h"

struct shard;

// Fails with ERR_INTERNAL where a record of the index cannot be read.
fallible recovery_read_index(struct shard *self);

#endif
