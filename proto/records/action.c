// action.c - the fields of actions and keyframes.
#include "proto/records/action.h"

#include "proto/base/limits.h"
#include "proto/records/handle.h"
#include "proto/records/value.h"

// clang-format off
// The rows of a request stand first; the rest is stored.
static const struct field object_keyframe_fields[] = {
    TRANSFORM_INPUT_FIELDS(struct object_keyframe_edit, FIELD_INPUT),
    FIELD(KEYFRAME_FRAME,              struct object_keyframe, frame,              "frame",              "Number of the frame; may be negative."),
    FIELD(KEYFRAME_TRANSFORM,          struct object_keyframe, transform,          "transform",          "4x4 matrix, row-major; translation at 3, 7, 11.", .flags = FIELD_OPTIONAL, .axes = AXES_MATRIX),
    FIELD(KEYFRAME_TRANSLATION_HANDLE, struct object_keyframe, translation_handle, "translation_handle", "Handles of x, y, z.",                             .flags = FIELD_OPTIONAL, .of = &handle_schema, .limit = 3, .axes = AXES_POINT),
    FIELD(KEYFRAME_ROTATION_HANDLE,    struct object_keyframe, rotation_handle,    "rotation_handle",    "Handles of w, x, y, z.",                          .flags = FIELD_OPTIONAL, .of = &handle_schema, .limit = 4, .axes = AXES_QUATERNION),
    FIELD(KEYFRAME_SCALE_HANDLE,       struct object_keyframe, scale_handle,       "scale_handle",       "Handles of x, y, z.",                             .flags = FIELD_OPTIONAL, .of = &handle_schema, .limit = 3, .axes = AXES_SCALE),
};

static const struct field property_keyframe_fields[] = {
    FIELD(KEYFRAME_FRAME,  struct property_keyframe, frame,  "frame",  "Number of the frame; may be negative."),
    FIELD(KEYFRAME_VALUES, struct property_keyframe, values, "values", "Values at the frame.", .flags = FIELD_SCALAR_ITEMS, .of = &value_schema, .limit = LIMIT_VALUES),
};

#define ACTION_FIELDS(keyframe_schema_) { \
    FIELD(ACTION_NAME,        struct action, name,        "name",        "Name within its object or property."),      \
    FIELD(ACTION_DESCRIPTION, struct action, description, "description", "Description for people."), \
    FIELD(ACTION_KEYFRAMES,   struct action, keyframes,   "keyframes",   "Keyframes in the order of their frames.", .of = &(keyframe_schema_), .limit = LIMIT_KEYFRAMES), \
    FIELD(ACTION_FPS,         struct action, fps,         "fps",         "Frames a second.", .flags = FIELD_OPTIONAL, .minimum = 0.001, .maximum = 10000, .otherwise = "24"), \
    FIELD(ACTION_LOOP,        struct action, loop,        "loop",        "Whether it begins again at its end.", .flags = FIELD_OPTIONAL, .otherwise = "false"), \
}

static const struct field object_action_fields[] = ACTION_FIELDS(object_keyframe_schema);
static const struct field object_action_edit_fields[] = ACTION_FIELDS(object_keyframe_edit_schema);
static const struct field property_action_fields[] = ACTION_FIELDS(property_keyframe_schema);
// clang-format on

enum { INPUT_ROWS = 5, OBJECT_KEYFRAME_ROWS = 5 };

const struct schema object_keyframe_schema = {.name = "object_keyframe",
                                              .array = "keyframes",
                                              .size = sizeof(struct object_keyframe),
                                              .count = OBJECT_KEYFRAME_ROWS,
                                              .fields = object_keyframe_fields + INPUT_ROWS};
const struct schema object_keyframe_edit_schema =
    SCHEMA(struct object_keyframe_edit, "object_keyframe", "keyframes", object_keyframe_fields);
const struct schema property_keyframe_schema =
    SCHEMA(struct property_keyframe, "property_keyframe", "keyframes", property_keyframe_fields);
const struct schema object_action_schema =
    SCHEMA(struct action, "object_action", "actions", object_action_fields);
const struct schema object_action_edit_schema =
    SCHEMA(struct action, "object_action", "actions", object_action_edit_fields);
const struct schema property_action_schema =
    SCHEMA(struct action, "property_action", "actions", property_action_fields);
