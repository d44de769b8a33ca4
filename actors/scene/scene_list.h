// scene_list.h - SCENE_LIST: pages of the scenes of one scene actor, filtered and in any order.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_LIST_H
#define DIORAMA_ACTORS_SCENE_SCENE_LIST_H

#include "actors/runtime/actor.h"

enum error scene_list(actor_t *actor, struct message *message);

#endif
