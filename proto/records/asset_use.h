// asset_use.h - a scene or an object that names an asset, as the list of an asset's uses shows it.
// Never stored.
#ifndef DIORAMA_PROTO_RECORDS_ASSET_USE_H
#define DIORAMA_PROTO_RECORDS_ASSET_USE_H

#include "proto/record/record.h"

enum asset_use_field {
    ASSET_USE_PLACE = 0,
    ASSET_USE_KIND = 1,
    ASSET_USE_KEY = 2,
    ASSET_USE_NAME = 3,
    ASSET_USE_SCENE = 4,
};

struct asset_use {
    struct record base;
    const struct text *place; // the order of the list
    const struct text *kind;  // object, scene
    const struct text *key;
    const struct text *name;
    const struct text *scene; // of an object: the key of its scene
};

extern const struct schema asset_use_schema;
extern const struct view asset_use_view_full;

#endif
