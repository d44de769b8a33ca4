// scene_rest.h - scenes at rest: nothing of them is in memory but their record in the catalogue,
// the number of their newest event where there was one, and whether memory could not hold them.
// Every other scene is awake: it has a state (scene_state.h). It stays awake while something must
// be at hand that nobody asks for by the key of the scene: devices, corrections, leases, watchers,
// what is staged. Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_REST_H
#define DIORAMA_ACTORS_SCENE_SCENE_REST_H

#include "proto/record/record_packed.h"

struct shard;
struct scene_state;

// About what the state of a scene takes that has nothing in it.
enum { SCENE_AWAKE_BYTES = 1024 };

// Whether the scene, which is in the index and has no entities in memory, may go to rest.
bool scene_may_rest(const struct shard *self, const struct scene_state *scene);
// It goes: the caller has no hold, and `scene` is freed.
void scene_rest(struct shard *self, struct scene_state *scene);

// The same of one that is not in the index, as it could not be read: ends the caller's hold.
void scene_lie_down(struct shard *self, struct scene_state *scene);

// The state of a scene whose record is `record`, as it was before it rested, with one hold, yours.
// It is not in the index yet; what users hold in it and its fence are to be read.
struct scene_state *scene_rise(struct shard *self, const packed_t *record);

void scene_rest_finish(struct shard *self);

#endif
