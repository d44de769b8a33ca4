// entity.h - what objects and properties have in common: how their structs begin, and the ids of
// the fields that both have. Generic code over what lives in a scene needs no more (actors/kind.h).
#ifndef DIORAMA_PROTO_RECORDS_ENTITY_H
#define DIORAMA_PROTO_RECORDS_ENTITY_H

#include "proto/record/record.h"

enum thing_field {
    THING_KEY = 0,
    THING_NAME = 1,
    THING_SCENE = 2,
    THING_PARENT = 3,
    THING_ASSET_SUB_ID = 4,
    THING_FRAME = 8,
    THING_TIMESTAMP = 9,
    THING_ACTIONS = 15,
    // request form only
    THING_EVENT = 45,
    THING_TOKEN = 46,
};

// How they begin.
struct thing {
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *scene;      // key of the scene that it lives in
    const struct records *actions; // struct action, names are unique
};

// Whether a struct begins so.
#define THING_BEGINS(struct_)                                                                      \
    _Static_assert(offsetof(struct_, key) == offsetof(struct thing, key) &&                        \
                       offsetof(struct_, name) == offsetof(struct thing, name) &&                  \
                       offsetof(struct_, scene) == offsetof(struct thing, scene) &&                \
                       offsetof(struct_, actions) == offsetof(struct thing, actions),              \
                   #struct_ " begins as struct thing does")

static inline const struct thing *
thing_of(const struct record *record)
{
    return (const struct thing *)(const void *)record;
}

#endif
