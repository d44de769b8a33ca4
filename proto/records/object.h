// object.h - the object record, its request form and its animation handles (decisions 4).
#ifndef DIORAMA_PROTO_RECORDS_OBJECT_H
#define DIORAMA_PROTO_RECORDS_OBJECT_H

#include "proto/record.h"

enum handle_field {
    HANDLE_LEFT_TYPE = 0,
    HANDLE_LEFT_X = 1,
    HANDLE_LEFT_Y = 2,
    HANDLE_RIGHT_TYPE = 3,
    HANDLE_RIGHT_X = 4,
    HANDLE_RIGHT_Y = 5,
};

// A Bezier handle of one animation channel.
struct handle {
    struct record base;
    const struct text *left_type;
    const struct text *right_type;
    double left_x, left_y;
    double right_x, right_y;
};

enum object_field {
    OBJECT_KEY = 0,
    OBJECT_NAME = 1,
    OBJECT_SCENE = 2,
    OBJECT_PARENT = 3,
    OBJECT_ASSET_SUB_ID = 4,
    OBJECT_TYPE = 5,
    OBJECT_SUBTYPE = 6,
    OBJECT_OWNER = 7,
    OBJECT_FRAME = 8,
    OBJECT_TIMESTAMP = 9,
    OBJECT_TRANSFORM = 10,
    OBJECT_ASSETS = 11,
    OBJECT_TRANSLATION_HANDLE = 12,
    OBJECT_ROTATION_HANDLE = 13,
    OBJECT_SCALE_HANDLE = 14,
    OBJECT_ACTIONS = 15,
    // request form only
    OBJECT_TRANSLATION = 40,
    OBJECT_EULER_ROTATION = 41,
    OBJECT_QUATERNION_ROTATION = 42,
    OBJECT_SCALE = 43,
    OBJECT_DEVICE = 44,
};

struct object {
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *scene; // key of the scene that it lives in
    const struct text *parent;
    const struct text *asset_sub_id;
    const struct text *type;
    const struct text *subtype;
    const struct text *owner; // device that holds the lock
    int64_t frame;
    int64_t timestamp;
    double transform[16]; // row-major, column vectors: translation at 3, 7, 11
    const struct texts *assets;
    const struct records *translation_handle; // struct handle, at most 3
    const struct records *rotation_handle;    // at most 4
    const struct records *scale_handle;       // at most 3
    const struct records *actions;            // struct action (none yet)
};

// What a request may say of an object: the record, or the parts of its transform.
struct object_edit {
    struct object object;
    double translation[3];
    double euler_rotation[3];      // x, y, z in radians; R = Ry * Rx * Rz
    double quaternion_rotation[4]; // w, x, y, z
    double scale[3];
    const struct text *device; // who sends it; counts where locks are enforced
};

extern const struct schema handle_schema;
extern const struct schema object_schema;
extern const struct schema object_edit_schema; // begins with object_schema

extern const struct view object_view_full;
extern const struct view object_view_created; // key and transform
extern const struct view object_view_fed;     // the plain UDP form
extern const struct view object_view_fed_actions;

#endif
