// project.h - projects, their groups of scenes, and asset collections.
#ifndef DIORAMA_PROTO_RECORDS_PROJECT_H
#define DIORAMA_PROTO_RECORDS_PROJECT_H

#include "proto/record/record.h"

enum scene_group_field {
    GROUP_NAME = 0,
    GROUP_DESCRIPTION = 1,
    GROUP_CATEGORY = 2,
    GROUP_SCENES = 3
};

// A named group of scenes of a project.
struct scene_group {
    struct record base;
    const struct text *name;
    const struct text *description;
    const struct text *category;
    const struct texts *scenes; // keys
};

enum project_field {
    PROJECT_ID = 0,
    PROJECT_NAME = 1,
    PROJECT_DESCRIPTION = 2,
    PROJECT_CATEGORY = 3,
    PROJECT_TAGS = 4,
    PROJECT_THUMBNAIL = 5,
    PROJECT_USER = 6,
    PROJECT_PUBLIC = 7,
    PROJECT_GROUPS = 8,
    PROJECT_COLLECTIONS = 9,
};

struct project {
    struct record base;
    const struct text *id;
    const struct text *name;
    const struct text *description;
    const struct text *category;
    const struct text *thumbnail; // key of an asset
    const struct text *user;      // id of its owner
    const struct texts *tags;
    const struct records *groups;    // struct scene_group
    const struct texts *collections; // ids
    bool is_public;
};

enum collection_field {
    COLLECTION_ID = 0,
    COLLECTION_NAME = 1,
    COLLECTION_DESCRIPTION = 2,
    COLLECTION_CATEGORY = 3,
    COLLECTION_TAGS = 4,
    COLLECTION_THUMBNAIL = 5,
    COLLECTION_USER = 6,
    COLLECTION_PUBLIC = 7,
};

// Linked to its assets by relationships.
struct collection {
    struct record base;
    const struct text *id;
    const struct text *name;
    const struct text *description;
    const struct text *category;
    const struct text *thumbnail;
    const struct text *user;
    const struct texts *tags;
    bool is_public;
};

extern const struct schema scene_group_schema;
extern const struct schema project_schema;
extern const struct schema collection_schema;

extern const struct view project_view_full;
extern const struct view collection_view_full;

#endif
