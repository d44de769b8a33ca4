// scene_sweep.h - removes from disk what a deleted scene leaves, slice by slice.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_SWEEP_H
#define DIORAMA_ACTORS_SCENE_SCENE_SWEEP_H

#include "actors/runtime/actor.h"

struct shard;

// Sweeps the scene after those that wait already.
void sweep_begin(struct shard *self, uint16_t part, uint64_t scene_id);
// Goes on with the first sweep where nothing of it is under way.
void sweep_turn(struct shard *self);
// The keys of a slice were read; stages their deletion.
enum error sweep_loaded(struct shard *self, struct message *message);
// The deletion of a slice is durable, or failed. Takes the message: always PARKED.
enum error sweep_settled(actor_t *actor, struct message *message, enum error error);
void sweep_finish(struct shard *self);

#endif
