// scene_copy.h - a scene actor of a server that follows another one: it shows what the leader has
// committed, and decides nothing itself. The follower (actors/replica) writes to the store in its
// place. Before, it asks for what the writes change (COPY_NEED), so that a record is never read
// when it is stored and not shown yet; then it sends them (COPY_APPLY). One batch is under way at
// a time. Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_COPY_H
#define DIORAMA_ACTORS_SCENE_SCENE_COPY_H

#include "actors/runtime/actor.h"

struct shard;

// COPY_NEED: the scenes that the batch changes are in memory from now until it is applied. Fails
// where one cannot be read.
enum error scene_copy_need(actor_t *actor, struct message *message);
// COPY_APPLY: the writes become visible, and their events are told. Fails with ERR_INTERNAL where a
// record is damaged; those before it are visible then.
enum error scene_copy_apply(actor_t *actor, struct message *message);

void scene_copy_finish(struct shard *self);

#endif
