// property.h - the property record and its request form.
#ifndef DIORAMA_PROTO_RECORDS_PROPERTY_H
#define DIORAMA_PROTO_RECORDS_PROPERTY_H

#include "proto/records/entity.h"
#include "proto/records/value.h"

// Ids are those of objects where the fields are the same.
enum property_field {
    PROPERTY_KEY = ENTITY_KEY,
    PROPERTY_NAME = ENTITY_NAME,
    PROPERTY_SCENE = ENTITY_SCENE,
    PROPERTY_PARENT = ENTITY_PARENT,
    PROPERTY_ASSET_SUB_ID = ENTITY_ASSET_SUB_ID,
    PROPERTY_FRAME = ENTITY_FRAME,
    PROPERTY_TIMESTAMP = ENTITY_TIMESTAMP,
    PROPERTY_ACTIONS = ENTITY_ACTIONS,
    PROPERTY_USER = ENTITY_USER,
    PROPERTY_VALUES = 16,
    // request form only
    PROPERTY_EVENT = ENTITY_EVENT,
    PROPERTY_TOKEN = ENTITY_TOKEN,
};

struct property { // begins as struct entity does
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *scene;
    const struct text *user;       // who pays for it
    const struct records *actions; // struct action, of property keyframes
    const struct text *parent;     // key of the object that it belongs to
    const struct text *asset_sub_id;
    int64_t frame;
    int64_t timestamp;
    const struct records *values; // struct value, at most 4
};

// What a request may say of a property.
struct property_edit {
    struct property property;
    int64_t event;            // msg_type of a datagram that changes actions or keyframes
    const struct text *token; // feed token of who sends a datagram
};

extern const struct schema property_schema;
extern const struct schema property_edit_schema; // a struct that begins with the one above

extern const struct view property_view_full;
extern const struct view property_view_created; // key
extern const struct view property_view_fed;     // the plain UDP form
extern const struct view property_view_fed_actions;

#endif
