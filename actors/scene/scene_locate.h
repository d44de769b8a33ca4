// scene_locate.h - LOCATE: where keys live, as the asset actor asks.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_LOCATE_H
#define DIORAMA_ACTORS_SCENE_SCENE_LOCATE_H

#include "actors/runtime/actor.h"

struct shard;

enum error locate(actor_t *actor, struct message *message);
// The look-ups of a request were read.
enum error locate_loaded(struct shard *self, struct message *message);

#endif
