// udp_updates.h - DATAGRAMS: updates that came by UDP.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_UDP_UPDATES_H
#define DIORAMA_ACTORS_SCENE_ENTITY_UDP_UPDATES_H

#include "actors/runtime/actor.h"

enum error datagrams_apply(actor_t *actor, struct message *message);

#endif
