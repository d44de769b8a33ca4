// scene_watch.h - how a stream of events joins a scene.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_WATCH_H
#define DIORAMA_ACTORS_SCENE_SCENE_WATCH_H

#include "actors/runtime/actor.h"

enum error scene_watch(actor_t *actor, struct message *message);

#endif
