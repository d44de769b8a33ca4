// relationship.h - a relation between an asset and something else: a scene, an object, a project, a
// collection, another asset.
#ifndef DIORAMA_PROTO_RECORDS_RELATIONSHIP_H
#define DIORAMA_PROTO_RECORDS_RELATIONSHIP_H

#include "proto/record/record.h"

enum relationship_field {
    RELATIONSHIP_ID = 0,
    RELATIONSHIP_ASSET = 1,
    RELATIONSHIP_SUB_ID = 2,
    RELATIONSHIP_TYPE = 3,
    RELATIONSHIP_SUBTYPE = 4,
    RELATIONSHIP_RELATED = 5,
    RELATIONSHIP_USER = 6,
    RELATIONSHIP_SCENE_ID = 7,
    RELATIONSHIP_MOMENT = 8,
};

// No two have the same asset, sub_id, type and related.
struct relationship {
    struct record base;
    const struct text *id;
    const struct text *asset;  // key
    const struct text *sub_id; // a part of the asset; NULL = all of it
    const struct text *type;
    const struct text *subtype;
    const struct text *related; // key or id of anything
    const struct text *user;    // id of who made it
    int64_t scene_id;           // internal, of the scene that `related` is, or is in; 0 = of none
    int64_t moment;             // at which that was so (struct place)
};

extern const struct schema relationship_schema;
extern const struct view relationship_view_full;

#endif
