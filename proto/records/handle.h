// handle.h - the Bezier handles of animated objects: one a channel.
#ifndef DIORAMA_PROTO_RECORDS_HANDLE_H
#define DIORAMA_PROTO_RECORDS_HANDLE_H

#include "proto/record/record.h"

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

extern const struct schema handle_schema;

#endif
