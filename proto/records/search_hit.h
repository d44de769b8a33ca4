// search_hit.h - what a search across all kinds of records finds.
#ifndef DIORAMA_PROTO_RECORDS_SEARCH_HIT_H
#define DIORAMA_PROTO_RECORDS_SEARCH_HIT_H

#include "proto/record/record.h"

enum search_hit_field {
    SEARCH_HIT_KEY = 0,
    SEARCH_HIT_KIND = 1,
    SEARCH_HIT_NAME = 2,
    SEARCH_HIT_SCENE = 3,
};

struct search_hit {
    struct record base;
    const struct text *key;  // or id
    const struct text *kind; // "scene", "object" … (list_kind.h)
    const struct text *name;
    const struct text *scene; // of an object: the key of its scene
};

extern const struct schema search_hit_schema;
extern const struct view search_hit_view_full;

#endif
