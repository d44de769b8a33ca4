// correction_operations.h - what administrators do with corrections: pin, unpin, remove.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_CORRECTION_OPERATIONS_H
#define DIORAMA_ACTORS_SCENE_DEVICE_CORRECTION_OPERATIONS_H

#include "actors/runtime/actor.h"

enum error alignment_pin(actor_t *actor, struct message *message);
enum error alignment_remove(actor_t *actor, struct message *message);

#endif
