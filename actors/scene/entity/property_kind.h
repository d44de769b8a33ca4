// property_kind.h - what only properties do.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_PROPERTY_KIND_H
#define DIORAMA_ACTORS_SCENE_ENTITY_PROPERTY_KIND_H

#include "actors/scene/entity/entity_kind.h"

extern const struct entity_kind property_kind;

#endif
