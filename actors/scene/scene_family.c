// scene_family.c - what the records of the family "scene" look like.
#include "actors/scene/scene_family.h"

#include "proto/records/correction.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"

const struct schema *
scene_family_schema(key_tag_t tag)
{
    switch (tag) {
    case KEY_SCENE:
        return &scene_schema;
    case KEY_DEVICE:
    case KEY_LEAVING:
        return &device_schema;
    case KEY_PROPERTY:
        return &property_schema;
    case KEY_EVIDENCE:
        return &correction_schema;
    default:
        return &object_schema;
    }
}
