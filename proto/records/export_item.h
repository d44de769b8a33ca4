// export_item.h - one piece of what is stored about a user, as they get it: exactly one of the
// records, and what its own form hides from others. Never stored.
#ifndef DIORAMA_PROTO_RECORDS_EXPORT_ITEM_H
#define DIORAMA_PROTO_RECORDS_EXPORT_ITEM_H

#include "proto/record/record.h"

enum export_item_field {
    EXPORT_ITEM_PLACE = 0,
    EXPORT_ITEM_AFTER = 1,
    EXPORT_ITEM_SCENE_KEY = 2,
    EXPORT_ITEM_ADDRESS = 3,
    EXPORT_ITEM_SINCE = 4,
    EXPORT_ITEM_FILE = 5,
    EXPORT_ITEM_USER = 6,
    EXPORT_ITEM_BUDGET = 7,
    EXPORT_ITEM_SESSION = 8,
    EXPORT_ITEM_CLAIM = 9,
    EXPORT_ITEM_SCENE = 10,
    EXPORT_ITEM_REGISTRATION = 11,
    EXPORT_ITEM_CORRECTION = 12,
    EXPORT_ITEM_PROJECT = 13,
    EXPORT_ITEM_COLLECTION = 14,
    EXPORT_ITEM_ASSET = 15,
    EXPORT_ITEM_RELATIONSHIP = 16,
};

enum { EXPORT_PLACE_BYTES = 512 };

// Between the parts of a place: a key contains no control character, so places of one walk are in
// the order of keys.
#define EXPORT_PLACE_GAP "\t"

struct export_item {
    struct record base;
    const struct text *place; // in the order of the answer
    const struct text *after; // of a request: the place of the last item that the client has
    const struct text *scene_key;
    const struct text *address; // peer that registered the device
    const struct text *file;    // path of the bytes of an asset
    int64_t since_us;           // calendar
    const struct record *user, *budget, *session, *claim;
    const struct record *scene, *registration, *correction;
    const struct record *project, *collection, *asset, *relationship;
};

extern const struct schema export_item_schema;
extern const struct view export_item_view_full;

// The place that a request goes on behind, or NULL.
const struct text *export_item_after(const struct records *request);

#endif
