// secret.h - keys of the server that can be replaced while it runs: the stored one that tokens are
// hashed with, and what answers tell of a new one.
#ifndef DIORAMA_PROTO_RECORDS_SECRET_H
#define DIORAMA_PROTO_RECORDS_SECRET_H

#include "proto/record/record.h"

// Append-only: stored maps use these numbers.
enum secret_field { SECRET_NAME = 0, SECRET_VALUE = 1, SECRET_MADE = 2 };

// A stored secret; never answered.
struct secret {
    struct record base;
    const struct text *name;
    const struct text *value; // hex
    int64_t made_us;          // by the calendar
};

enum rotation_field {
    ROTATION_NAME = 0,
    ROTATION_PUBLIC_KEY = 1,
    ROTATION_FILE = 2,
    ROTATION_ENDED = 3
};

// What was replaced, as answers tell it.
struct rotation {
    struct record base;
    const struct text *name;       // "tokens", "pub-key"
    const struct text *public_key; // of CURVE, in Z85
    const struct text *file;       // that has it
    int64_t ended;                 // sessions
};

extern const struct schema secret_schema;
extern const struct schema rotation_schema;
extern const struct view rotation_view_full;

#endif
