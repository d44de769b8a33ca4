// projects.c - projects and asset collections: rows over resource.h (interface 4.6, 4.7; decisions
// 9). Runs on the asset actor's thread.
#include "actors/library.h"
#include "proto/records/project.h"

// clang-format off
const struct resource project_resource = {
    .noun = "project", .kind = PROJECTS, .key = PROJECT_ID, .param = PARAMS_PROJECT,
    .owner = PROJECT_USER, .is_public = PROJECT_PUBLIC, .view = &project_view_full,
    .basics = FIELD_BIT(PROJECT_NAME) | FIELD_BIT(PROJECT_DESCRIPTION) | FIELD_BIT(PROJECT_CATEGORY) |
              FIELD_BIT(PROJECT_THUMBNAIL) | FIELD_BIT(PROJECT_PUBLIC),
};

const struct resource collection_resource = {
    .noun = "collection", .kind = COLLECTIONS, .key = COLLECTION_ID, .param = PARAMS_COLLECTION,
    .owner = COLLECTION_USER, .is_public = COLLECTION_PUBLIC, .view = &collection_view_full,
};
// clang-format on
