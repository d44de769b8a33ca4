// entity_list.h - OBJECT_LIST: pages of the objects of a scene, filtered and in any order.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_LIST_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_LIST_H

#include "actors/runtime/actor.h"

// Its actor_operation.of is a struct entity_operation.
enum error entity_list(actor_t *actor, struct message *message);

#endif
