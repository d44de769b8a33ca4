// bare_shard.h - the state of a scene actor without its threads and without a store, for tests of
// the units that work on it: nothing that is staged is ever committed.
#ifndef DIORAMA_TESTS_SUPPORT_BARE_SHARD_H
#define DIORAMA_TESTS_SUPPORT_BARE_SHARD_H

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"

// All tests of a file share one; it is new for each of them.
struct shard *bare_shard_begin(void);
void bare_shard_end(void);

// Room for all that is staged until the batch ends. At the beginning there is: nobody asks here.
void bare_shard_grant(struct shard *self);

// A durable scene, in memory, of this owner (a user's id, "" = nobody). Borrowed.
struct scene_state *bare_shard_add_scene(struct shard *self, const char *key, const char *owner);

// The scene knows a correction with this number, from which its id and its time follow.
void bare_shard_know_correction(struct shard *self, struct scene_state *scene, int number,
                                const char *device, bool is_pinned);

// A frozen object with this key and name, one reference, yours.
const frozen_t *bare_object(const char *scene, const char *key, const char *name);

#endif
