// relationship.c - the fields of relationships.
#include "proto/records/relationship.h"

// clang-format off
static const struct field relationship_fields[] = {
    FIELD(RELATIONSHIP_ID,      struct relationship, id,      "id",                  "Identifies the relationship; generated.",     .flags = FIELD_FIXED),
    FIELD(RELATIONSHIP_ASSET,   struct relationship, asset,   "assetId",             "Key of the asset.",                           .flags = FIELD_KEY),
    FIELD(RELATIONSHIP_SUB_ID,  struct relationship, sub_id,  "assetSubId",          "Part of the asset; empty for all of it."),
    FIELD(RELATIONSHIP_TYPE,    struct relationship, type,    "relationshipType",    "Kind of the related record: scene, object, …"),
    FIELD(RELATIONSHIP_SUBTYPE, struct relationship, subtype, "relationshipSubtype", "Role of the asset: mesh, thumbnail, …"),
    FIELD(RELATIONSHIP_RELATED, struct relationship, related, "relatedId",           "Key or id of the related record."),
    FIELD(RELATIONSHIP_USER,    struct relationship, user,    "user",                "Who made it: the id of a user.",              .flags = FIELD_HIDDEN),
    FIELD(RELATIONSHIP_SCENE_ID, struct relationship, scene_id, "sceneId", "Internal number of the scene that it leads to.", .flags = FIELD_HIDDEN),
    FIELD(RELATIONSHIP_MOMENT,   struct relationship, moment,   "moment",  "When it led there.",                             .flags = FIELD_HIDDEN),
};
// clang-format on

const struct schema relationship_schema =
    SCHEMA(struct relationship, "relationship", "relationships", relationship_fields);

const struct view relationship_view_full = {.of = &relationship_schema, .name = ""};
