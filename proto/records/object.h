// object.h - the object record and its request form.
#ifndef DIORAMA_PROTO_RECORDS_OBJECT_H
#define DIORAMA_PROTO_RECORDS_OBJECT_H

#include "proto/records/action.h"
#include "proto/records/entity.h"
#include "proto/records/handle.h"
#include "proto/records/lock.h"

enum object_field {
    OBJECT_KEY = ENTITY_KEY,
    OBJECT_NAME = ENTITY_NAME,
    OBJECT_SCENE = ENTITY_SCENE,
    OBJECT_PARENT = ENTITY_PARENT,
    OBJECT_ASSET_SUB_ID = ENTITY_ASSET_SUB_ID,
    OBJECT_TYPE = 5,
    OBJECT_SUBTYPE = 6,
    OBJECT_OWNER = 7,
    OBJECT_FRAME = ENTITY_FRAME,
    OBJECT_TIMESTAMP = ENTITY_TIMESTAMP,
    OBJECT_TRANSFORM = KEYFRAME_TRANSFORM,
    OBJECT_ASSETS = 11,
    OBJECT_TRANSLATION_HANDLE = 12,
    OBJECT_ROTATION_HANDLE = 13,
    OBJECT_SCALE_HANDLE = 14,
    OBJECT_ACTIONS = ENTITY_ACTIONS,
    OBJECT_USER = ENTITY_USER,
    OBJECT_TAGS = 18,
    OBJECT_EXTRAS = 19,
    OBJECT_VISIBLE = 20,
    OBJECT_LOCKED = 21,
    OBJECT_NEWEST_FENCE = 22,
    OBJECT_CHANGED = 23, // calendar
    // request form only
    OBJECT_TRANSLATION = INPUT_TRANSLATION,
    OBJECT_EULER_ROTATION = INPUT_EULER_ROTATION,
    OBJECT_QUATERNION_ROTATION = INPUT_QUATERNION_ROTATION,
    OBJECT_SCALE = INPUT_SCALE,
    OBJECT_EULER_ORDER = INPUT_EULER_ORDER,
    OBJECT_DEVICE = 44,
    OBJECT_EVENT = ENTITY_EVENT,
    OBJECT_TOKEN = ENTITY_TOKEN,
    OBJECT_FENCE = 48,
    OBJECT_GEOPOSE = 47, // and in answers to requests that ask for it
};

// Members that few objects have (schema.h): the others do not pay for them.
struct object_rare {
    const struct records *actions; // struct action, of object keyframes
    const struct text *parent;
    const struct text *asset_sub_id;
    const struct text *owner; // device that holds the lock
    int64_t frame;
    int64_t timestamp;
    const struct records *translation_handle; // struct handle, at most 3
    const struct records *rotation_handle;    // at most 4
    const struct records *scale_handle;       // at most 3
    const struct texts *tags;
    const struct text *extras; // compact JSON
    const struct record *lock; // struct lock; of locks of older versions there is none
    int64_t newest_fence;      // of its newest lock, which may have ended
    bool visible;
};

struct object { // begins as struct entity does
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *scene;
    const struct text *user; // who pays for it
    const struct text *type;
    const struct text *subtype;
    int64_t changed_us;   // calendar
    double transform[16]; // row-major, column vectors: translation at 3, 7, 11
    const struct texts *assets;
    struct object_rare *rare; // NULL in a frozen record that has none of its members
};

// What a request may say of an object: the record, or the parts of its transform.
struct object_edit {
    struct object object; // its actions are of object_action_edit_schema
    struct transform_input input;
    const struct text *device;    // who sends it; counts where locks are enforced
    int64_t event;                // msg_type of a datagram that changes actions or keyframes
    const struct text *token;     // feed token of who sends a datagram
    int64_t fence;                // that its sender knows of
    const struct record *geopose; // struct geopose: wins over other translations and rotations
};

static inline const struct object *
object_of(const struct record *record)
{
    return (const struct object *)(const void *)record;
}

// The device that holds its lock; NULL or "": none.
static inline const struct text *
object_owner(const struct object *self)
{
    return self->rare ? self->rare->owner : NULL;
}

// Notes when an object was changed; the record may be edited.
static inline void
object_set_changed(struct record *record, int64_t now_us)
{
    ((struct object *)(void *)record)->changed_us = now_us;
    record_mark(record, OBJECT_CHANGED);
}

extern const struct schema object_schema;
extern const struct schema object_edit_schema; // a struct that begins with the one above
extern const struct schema
    object_placed_schema; // the same struct: the record, its GeoPose and the parts of its transform

extern const struct view object_view_full;
extern const struct view
    object_view_placed; // get: with its GeoPose, or the parts of its transform, if asked for
extern const struct view object_view_created; // key and transform
extern const struct view object_view_listed;  // list: all, and when it was changed
extern const struct view object_view_fed;     // the plain UDP form
extern const struct view object_view_fed_actions;

#endif
