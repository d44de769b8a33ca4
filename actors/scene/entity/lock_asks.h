// lock_asks.h - asking whoever holds the lock of an object.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_LOCK_ASKS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_LOCK_ASKS_H

#include "actors/runtime/actor.h"

enum error object_ask(actor_t *actor, struct message *message);

#endif
