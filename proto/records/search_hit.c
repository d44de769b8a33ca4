// search_hit.c - the fields of what a search finds.
#include "proto/records/search_hit.h"

// clang-format off
static const struct field search_hit_fields[] = {
    FIELD(SEARCH_HIT_KIND,  struct search_hit, kind,  "kind",  "scene, object, asset, project, collection or user."),
    FIELD(SEARCH_HIT_KEY,   struct search_hit, key,   "key",   "Its key or id."),
    FIELD(SEARCH_HIT_NAME,  struct search_hit, name,  "name",  "Name for people."),
    FIELD(SEARCH_HIT_SCENE, struct search_hit, scene, "scene", "Of an object: key of its scene.", .flags = FIELD_OPTIONAL),
};
// clang-format on

const struct schema search_hit_schema =
    SCHEMA(struct search_hit, "search_hit", "hits", search_hit_fields);
const struct view search_hit_view_full = {.of = &search_hit_schema, .name = ""};
