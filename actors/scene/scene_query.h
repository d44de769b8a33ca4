// scene_query.h - SCENE_QUERY: finding scenes by name, place and the like.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_QUERY_H
#define DIORAMA_ACTORS_SCENE_SCENE_QUERY_H

#include "actors/runtime/actor.h"

enum error scene_query(actor_t *actor, struct message *message);

#endif
