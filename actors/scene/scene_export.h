// scene_export.h - what is stored in scenes about one user.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_EXPORT_H
#define DIORAMA_ACTORS_SCENE_SCENE_EXPORT_H

#include "actors/runtime/actor.h"

// The first items of params.user behind the place in the request, of the scenes of this actor: the
// scenes that the user owns, and the registrations and corrections of the user in any scene. The
// gateway asks all actors and merges the answers by place.
enum error scene_export(actor_t *actor, struct message *message);

#endif
