// held_locks.h - the locks of devices that left a scene. A registration ends whatever its device
// holds: locks that one commit does not take, or whose scene is not in memory, follow in slices.
// Until then a mark of the device stands beside its scene (KEY_LEAVING), so that a start goes on.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_HELD_LOCKS_H
#define DIORAMA_ACTORS_SCENE_DEVICE_HELD_LOCKS_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_set.h"
#include "actors/runtime/staging.h"

struct shard;
struct scene_state;

enum { MARK_BYTES = 1024 }; // more than the mark of a device takes

// Stages the end of the locks of these devices, which leave: at once what the filling batch has
// room for beside a record of `beside` bytes, and a mark of each device where that is not all.
// There is room for the marks.
void held_locks_end(struct shard *self, struct message *message, struct scene_state *scene,
                    struct record_set *leaving, size_t beside);
// Stages that a device is back before all its locks ended: it keeps the rest. One write.
void held_locks_keep(struct shard *self, struct scene_state *scene, const struct text *device);

// LOCKS_RELEASE, which the actor sends itself: the next slice, and what becomes of it.
enum error held_locks_release(actor_t *actor, struct message *message);
enum error held_locks_released(actor_t *actor, struct message *message, enum error error);

// A change under KEY_LEAVING is durable; or its record was read at the start.
void held_locks_committed(struct shard *self, const struct change *change);
void held_locks_known(struct shard *self, struct scene_state *scene, const frozen_t *mark);

// At the end of each turn: begins a slice where none is under way.
void held_locks_turn(struct shard *self);
void held_locks_finish(struct shard *self);

#endif
