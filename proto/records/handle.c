// handle.c - the fields of an animation handle.
#include "proto/records/handle.h"

// clang-format off
static const struct field handle_fields[] = {
    FIELD(HANDLE_LEFT_TYPE,  struct handle, left_type,  "left_type",  "Kind of the left end: vector, free, …"),
    FIELD(HANDLE_LEFT_X,     struct handle, left_x,     "left_x",     "Left end, along the frames."),
    FIELD(HANDLE_LEFT_Y,     struct handle, left_y,     "left_y",     "Left end, along the value.",  .axes = AXES_COORDINATE),
    FIELD(HANDLE_RIGHT_TYPE, struct handle, right_type, "right_type", "Kind of the right end."),
    FIELD(HANDLE_RIGHT_X,    struct handle, right_x,    "right_x",    "Right end, along the frames."),
    FIELD(HANDLE_RIGHT_Y,    struct handle, right_y,    "right_y",    "Right end, along the value.", .axes = AXES_COORDINATE),
};
// clang-format on

const struct schema handle_schema = SCHEMA(struct handle, "handle", "handles", handle_fields);
