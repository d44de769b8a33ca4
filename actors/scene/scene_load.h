// scene_load.h - the way to the loader (scene_loader.h). Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_LOAD_H
#define DIORAMA_ACTORS_SCENE_SCENE_LOAD_H

#include "actors/scene/scene_loader.h"

struct shard;

// Sends a slice to the loader of requests, in the message, which comes back as LOADED: in a later
// turn, as failed, where the loader's queue is full. Takes both. Returns the message's id.
uint64_t shard_load(struct shard *self, struct slice *slice, struct message *message);

#endif
