// bulk.h - a request that changes many objects and properties of a scene at once, and its answer.
#ifndef DIORAMA_PROTO_RECORDS_BULK_H
#define DIORAMA_PROTO_RECORDS_BULK_H

#include "proto/record/record.h"

enum bulk_field {
    BULK_CREATE = 0,
    BULK_UPDATE = 1,
    BULK_DELETE = 2,
    BULK_PROPERTIES = 3,
    BULK_IF = 4,
    BULK_FENCE = 5,
};

// What is done to things of one kind.
struct bulk_part {
    struct record base;
    const struct records *create; // edits of the kind
    const struct records *update; // the same, each with its key
    const struct texts *delete;   // keys
};

struct bulk {
    struct bulk_part objects;
    const struct record *properties;  // struct bulk_part
    const struct records *conditions; // struct bulk_condition
    const struct records *fences;     // struct fence_of
};

enum bulk_condition_field { BULK_CONDITION_KEY = 0, BULK_CONDITION_ETAG = 1 };

// A thing of the scene, and the state that it must be in.
struct bulk_condition {
    struct record base;
    const struct text *key;
    const struct text *etag; // as in an If-Match
};

enum bulk_result_field { BULK_RESULT_CREATED = 0, BULK_RESULT_PROPERTIES = 1 };

struct bulk_result {
    struct record base;
    const struct texts *created;    // keys of the new objects, in the order of the request
    const struct texts *properties; // the same of properties
};

extern const struct schema bulk_schema;
extern const struct schema bulk_properties_schema;
extern const struct schema bulk_condition_schema;
extern const struct schema bulk_result_schema;
extern const struct view bulk_result_view_full;

#endif
