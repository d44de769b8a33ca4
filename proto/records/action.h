// action.h - named animations of objects and properties: a list of keyframes, in the order of their
// frames.
#ifndef DIORAMA_PROTO_RECORDS_ACTION_H
#define DIORAMA_PROTO_RECORDS_ACTION_H

#include "proto/record/record.h"

enum action_field {
    ACTION_NAME = 0,
    ACTION_DESCRIPTION = 1,
    ACTION_KEYFRAMES = 2,
    ACTION_FPS = 3,
    ACTION_LOOP = 4,
};

// Of an object or of a property: their keyframes differ.
struct action {
    struct record base;
    const struct text *name; // unique within its entity
    const struct text *description;
    const struct records *keyframes; // one a frame, ascending
    double fps;
    bool loop;
};

// A field that an object has too has the same id here.
enum keyframe_field {
    KEYFRAME_FRAME = 0,
    KEYFRAME_VALUES = 1,
    KEYFRAME_TRANSFORM = 10,
    KEYFRAME_TRANSLATION_HANDLE = 12,
    KEYFRAME_ROTATION_HANDLE = 13,
    KEYFRAME_SCALE_HANDLE = 14,
};

// How every keyframe begins.
struct keyframe {
    struct record base;
    int64_t frame; // may be negative
};

struct object_keyframe {
    struct record base;
    int64_t frame;
    double transform[16];
    const struct records *translation_handle; // struct handle, as of an object
    const struct records *rotation_handle;
    const struct records *scale_handle;
};

// What a request may say in place of a transform; its parts are composed.
struct transform_input {
    double translation[3];
    double euler_rotation[3];      // x, y, z in radians; wins over the next
    double quaternion_rotation[4]; // w, x, y, z
    double scale[3];
    const struct text *euler_order; // of the angles (euler.h); NULL = YXZ
};

enum transform_input_field {
    INPUT_TRANSLATION = 40,
    INPUT_EULER_ROTATION = 41,
    INPUT_QUATERNION_ROTATION = 42,
    INPUT_SCALE = 43,
    INPUT_EULER_ORDER = 49,
};

// The rows of a struct that has it as its member `input`.
#define TRANSFORM_INPUT_FIELDS(struct_, flags_)                                                    \
    FIELD(INPUT_TRANSLATION, struct_, input.translation, "translation", "Position x, y, z.",       \
          .flags = (flags_), .axes = AXES_POINT),                                                  \
        FIELD(INPUT_EULER_ROTATION, struct_, input.euler_rotation, "euler_rotation",               \
              "Angles x, y, z, in the order of euler_order.", .flags = (flags_), .unit = "rad",    \
              .axes = AXES_OBJECT_EULER),                                                          \
        FIELD(                                                                                     \
            INPUT_EULER_ORDER, struct_, input.euler_order, "euler_order",                          \
            "How the angles beside it are read: YXZ (R = Ry * Rx * Rz), XYZ, XZY, YZX, ZXY, ZYX.", \
            .flags = (flags_), .axes = AXES_EULER_ORDER, .limit = 8, .otherwise = "\"YXZ\""),      \
        FIELD(INPUT_QUATERNION_ROTATION, struct_, input.quaternion_rotation,                       \
              "quaternion_rotation", "Rotation w, x, y, z.", .flags = (flags_),                    \
              .axes = AXES_QUATERNION),                                                            \
        FIELD(INPUT_SCALE, struct_, input.scale, "scale", "Factors along x, y, z.",                \
              .flags = (flags_), .axes = AXES_SCALE)

struct object_keyframe_edit {
    struct object_keyframe keyframe;
    struct transform_input input;
};

struct property_keyframe {
    struct record base;
    int64_t frame;
    const struct records *values; // struct value, at most 4
};

extern const struct schema object_keyframe_schema;
extern const struct schema object_keyframe_edit_schema; // a struct that begins with the one above
extern const struct schema property_keyframe_schema;
extern const struct schema object_action_schema;
extern const struct schema object_action_edit_schema; // the same struct; its keyframes are edits
extern const struct schema property_action_schema;

static inline const struct action *
action_of(const struct record *record)
{
    return (const struct action *)(const void *)record;
}

static inline const struct keyframe *
keyframe_of(const struct record *record)
{
    return (const struct keyframe *)(const void *)record;
}

#endif
