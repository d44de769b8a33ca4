// entity.h - what objects and properties have in common: the beginning of their structs and the ids
// of the fields that both have. Generic code for entities needs no more (entity_kind.h).
#ifndef DIORAMA_PROTO_RECORDS_ENTITY_H
#define DIORAMA_PROTO_RECORDS_ENTITY_H

#include "proto/record/record.h"

enum entity_field {
    ENTITY_KEY = 0,
    ENTITY_NAME = 1,
    ENTITY_SCENE = 2,
    ENTITY_PARENT = 3,
    ENTITY_ASSET_SUB_ID = 4,
    ENTITY_FRAME = 8,
    ENTITY_TIMESTAMP = 9,
    ENTITY_ACTIONS = 15,
    ENTITY_USER = 17,
    // request form only
    ENTITY_EVENT = 45,
    ENTITY_TOKEN = 46,
};

// How they begin.
struct entity {
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *scene; // key of the scene that it lives in
    const struct text *user;  // who pays for it: made it, or made it larger last
};

// Checks at compile time that a struct begins like this.
#define ENTITY_BEGINS(struct_)                                                                     \
    _Static_assert(offsetof(struct_, key) == offsetof(struct entity, key) &&                       \
                       offsetof(struct_, name) == offsetof(struct entity, name) &&                 \
                       offsetof(struct_, scene) == offsetof(struct entity, scene) &&               \
                       offsetof(struct_, user) == offsetof(struct entity, user),                   \
                   #struct_ " begins as struct entity does")

static inline const struct entity *
entity_of(const struct record *record)
{
    return (const struct entity *)(const void *)record;
}

// Its actions (struct action, names are unique); NULL: none.
static inline const struct records *
entity_actions(const struct entity *self)
{
    return record_has(&self->base, ENTITY_ACTIONS)
               ? MEMBER_CONST(const struct records *, &self->base,
                              schema_field(self->base.schema, ENTITY_ACTIONS))
               : NULL;
}

#endif
