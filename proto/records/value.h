// value.h - the values of properties: a number, alone or with its animation handle.
#ifndef DIORAMA_PROTO_RECORDS_VALUE_H
#define DIORAMA_PROTO_RECORDS_VALUE_H

#include "proto/record/record.h"

enum value_field {
    VALUE_VALUE = 0,
    VALUE_LEFT_TYPE = 1,
    VALUE_LEFT_X = 2,
    VALUE_LEFT_Y = 3,
    VALUE_RIGHT_TYPE = 4,
    VALUE_RIGHT_X = 5,
    VALUE_RIGHT_Y = 6,
};

// A number and its animation handle; a plain number in JSON is one with nothing else.
struct value {
    struct record base;
    double value;
    const struct text *left_type;
    const struct text *right_type;
    double left_x, left_y;
    double right_x, right_y;
};

extern const struct schema value_schema;

#endif
