// entity_kind.c - the table of all kinds.

#include "actors/scene/entity/entity_kind.h"

#include "actors/scene/entity/object_kind.h"
#include "actors/scene/entity/property_kind.h"

const struct entity_kind *const entity_kinds[ENTITY_KIND_COUNT] = {
    [OBJECTS] = &object_kind,
    [PROPERTIES] = &property_kind,
};
