// library_erase.h - what is stored in the library about a user who is erased.
#ifndef DIORAMA_ACTORS_ASSET_LIBRARY_ERASE_H
#define DIORAMA_ACTORS_ASSET_LIBRARY_ERASE_H

#include "actors/runtime/actor.h"

// An effect: deletes the private assets, collections and projects of the user, takes the owner from
// the public ones, and the maker from relationships; those to the user end.
enum error library_erase(actor_t *actor, struct message *message);

// Whether another walk must follow: the last one found something.
bool library_erase_goes_on(struct message *message);

#endif
