// object_kind.h - what only objects do.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_OBJECT_KIND_H
#define DIORAMA_ACTORS_SCENE_ENTITY_OBJECT_KIND_H

#include "actors/scene/entity/entity_edit.h"

extern const struct entity_kind object_kind;

// With or without the asset that the request names.
entity_editor object_with_asset, object_without_asset;

#endif
