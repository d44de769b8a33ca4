// asset_use.c - the fields of a use of an asset.
#include "proto/records/asset_use.h"

// clang-format off
static const struct field asset_use_fields[] = {
    FIELD(ASSET_USE_PLACE, struct asset_use, place, "place", "Where it stands in the list.",     .flags = FIELD_HIDDEN),
    FIELD(ASSET_USE_KIND,  struct asset_use, kind,  "kind",  "object or scene."),
    FIELD(ASSET_USE_KEY,   struct asset_use, key,   "key",   "Key of the object or scene."),
    FIELD(ASSET_USE_NAME,  struct asset_use, name,  "name",  "Its name for people."),
    FIELD(ASSET_USE_SCENE, struct asset_use, scene, "scene", "Of an object: key of its scene.", .flags = FIELD_OPTIONAL),
};
// clang-format on

const struct schema asset_use_schema =
    SCHEMA(struct asset_use, "asset_use", "uses", asset_use_fields);
const struct view asset_use_view_full = {.of = &asset_use_schema, .name = ""};
