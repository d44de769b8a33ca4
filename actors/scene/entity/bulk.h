// bulk.h - many objects and properties of a scene created, updated and deleted in one commit: all
// of it, or nothing.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_BULK_H
#define DIORAMA_ACTORS_SCENE_ENTITY_BULK_H

#include "actors/runtime/actor.h"

// Answers SCENE_BULK with the keys of what is new (struct bulk_result). Steps are decided in
// slices; the last slice stages all of them at once, so that their events follow each other. Fails
// with what the same operation on one thing would fail with, at its place in the body; with
// ERR_PRECONDITION where a thing is not in the state that `if` names; with ERR_TOO_LARGE where the
// things together are larger than a commit.
enum error entities_bulk(actor_t *actor, struct message *message);
// Fills the reply of a request that came before.
enum error entities_bulk_remake(actor_t *actor, struct message *message, uint32_t count);

#endif
