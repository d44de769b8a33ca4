// project.c - the fields of projects, scene groups and collections.
#include "proto/records/project.h"

#include "proto/base/limits.h"

// clang-format off
static const struct field scene_group_fields[] = {
    FIELD(GROUP_NAME,        struct scene_group, name,        "name",        "Name within its project."),
    FIELD(GROUP_DESCRIPTION, struct scene_group, description, "description", "Description for people."),
    FIELD(GROUP_CATEGORY,    struct scene_group, category,    "category",    "Kind of group."),
    FIELD(GROUP_SCENES,      struct scene_group, scenes,      "scenes",      "Keys of its scenes.", .limit = LIMIT_GROUP_SCENES),
};

static const struct field project_fields[] = {
    FIELD(PROJECT_ID,          struct project, id,          "id",                 "Identifies the project; generated.",             .flags = FIELD_FIXED),
    FIELD(PROJECT_NAME,        struct project, name,        "name",               "Name for people.",                               .flags = FIELD_FILTER),
    FIELD(PROJECT_DESCRIPTION, struct project, description, "description",        "Description for people.",                        .flags = FIELD_FILTER),
    FIELD(PROJECT_CATEGORY,    struct project, category,    "category",           "Kind of project.",                               .flags = FIELD_FILTER),
    FIELD(PROJECT_TAGS,        struct project, tags,        "tags",               "Words to search by.",                            .alias = "tag", .flags = FIELD_FILTER | FIELD_WORDS, .limit = LIMIT_TAGS),
    FIELD(PROJECT_THUMBNAIL,   struct project, thumbnail,   "thumbnail",          "Key of the asset with its picture."),
    FIELD(PROJECT_USER,        struct project, user,        "user",               "Id of the user who owns it.",                    .flags = FIELD_FIXED | FIELD_OWNER),
    FIELD(PROJECT_PUBLIC,      struct project, is_public,   "public",             "Whether users other than its own may see it.",   .flags = FIELD_ACCESS, .alias = "isPublic"),
    FIELD(PROJECT_GROUPS,      struct project, groups,      "sceneGroups",        "Its groups of scenes.",                          .of = &scene_group_schema, .limit = LIMIT_GROUPS),
    FIELD(PROJECT_COLLECTIONS, struct project, collections, "assetCollectionIds", "Ids of its asset collections.",                  .limit = LIMIT_COLLECTIONS),
};

static const struct field collection_fields[] = {
    FIELD(COLLECTION_ID,          struct collection, id,          "id",          "Identifies the collection; generated.",        .flags = FIELD_FIXED),
    FIELD(COLLECTION_NAME,        struct collection, name,        "name",        "Name for people.",                             .flags = FIELD_FILTER),
    FIELD(COLLECTION_DESCRIPTION, struct collection, description, "description", "Description for people.",                      .flags = FIELD_FILTER),
    FIELD(COLLECTION_CATEGORY,    struct collection, category,    "category",    "Kind of collection.",                          .flags = FIELD_FILTER),
    FIELD(COLLECTION_TAGS,        struct collection, tags,        "tags",        "Words to search by.",                          .alias = "tag", .flags = FIELD_FILTER | FIELD_WORDS, .limit = LIMIT_TAGS),
    FIELD(COLLECTION_THUMBNAIL,   struct collection, thumbnail,   "thumbnail",   "Key of the asset with its picture."),
    FIELD(COLLECTION_USER,        struct collection, user,        "user",        "Id of the user who owns it.",                  .flags = FIELD_FIXED | FIELD_OWNER),
    FIELD(COLLECTION_PUBLIC,      struct collection, is_public,   "public",      "Whether users other than its own may see it.", .flags = FIELD_ACCESS, .alias = "isPublic"),
};
// clang-format on

const struct schema scene_group_schema =
    SCHEMA(struct scene_group, "group", "groups", scene_group_fields);
const struct schema project_schema = SCHEMA(struct project, "project", "projects", project_fields);
const struct schema collection_schema =
    SCHEMA(struct collection, "collection", "collections", collection_fields);

const struct view project_view_full = {.of = &project_schema, .name = ""};
const struct view collection_view_full = {.of = &collection_schema, .name = ""};
