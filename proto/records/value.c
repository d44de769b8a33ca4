// value.c - the fields of a value of a property.
#include "proto/records/value.h"

// clang-format off
static const struct field value_fields[] = {
    FIELD(VALUE_VALUE,      struct value, value,      "value",      "The number."),
    FIELD(VALUE_LEFT_TYPE,  struct value, left_type,  "left_type",  "Kind of the left end of its handle: vector, free, …"),
    FIELD(VALUE_LEFT_X,     struct value, left_x,     "left_x",     "Left end, along the frames."),
    FIELD(VALUE_LEFT_Y,     struct value, left_y,     "left_y",     "Left end, along the value."),
    FIELD(VALUE_RIGHT_TYPE, struct value, right_type, "right_type", "Kind of the right end."),
    FIELD(VALUE_RIGHT_X,    struct value, right_x,    "right_x",    "Right end, along the frames."),
    FIELD(VALUE_RIGHT_Y,    struct value, right_y,    "right_y",    "Right end, along the value."),
};
// clang-format on

const struct schema value_schema = SCHEMA(struct value, "value", "values", value_fields);
