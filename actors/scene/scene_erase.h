// scene_erase.h - what is stored in scenes about a user who is erased.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_ERASE_H
#define DIORAMA_ACTORS_SCENE_SCENE_ERASE_H

#include "actors/runtime/actor.h"

struct shard;

// An effect: deletes the private scenes of the user, takes the owner from the public ones, and
// removes from all scenes the corrections of the user, their name as who pays for an object or a
// property, and the sums of what they pay for. Registrations end by EXPEL.
enum error scene_erase(actor_t *actor, struct message *message);

// Whether another walk must follow: the last one found something.
bool scene_erase_goes_on(struct message *message);

// What is in a scene cannot be read: the walk goes on past it, and fails at its end, so that the
// effect is asked for again.
enum error scene_erase_ends(actor_t *actor, struct message *message, enum error error);

// LOADED: in which of the scenes at rest, about which the store was asked, the user pays for
// something.
enum error scene_erase_held(struct shard *self, struct message *answer);

#endif
