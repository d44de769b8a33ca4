// scene_restream.h - streams the state of a scene's objects after an update of the scene, in
// slices. One at a time: an update that comes while the one before it is still streamed lets that
// go round again, to where it was.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_RESTREAM_H
#define DIORAMA_ACTORS_SCENE_SCENE_RESTREAM_H

#include "actors/runtime/actor.h"

struct scene_state;
struct shard;

// The scene, which has its objects in memory, was updated: each is streamed once more from now on.
void scene_restream(struct shard *self, struct scene_state *scene);
// RESTREAM: streams the next slice.
enum error scene_restream_slice(actor_t *actor, struct message *message);

#endif
