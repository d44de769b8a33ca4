// bulk.c - the fields of a request that changes many things of a scene at once (bulk.h).
#include "proto/records/bulk.h"

#include "proto/base/limits.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/property.h"

// clang-format off
static const struct field condition_fields[] = {
    FIELD(BULK_CONDITION_KEY,  struct bulk_condition, key,  "key",  "Key of an object or a property of the scene.", .flags = FIELD_INPUT),
    FIELD(BULK_CONDITION_ETAG, struct bulk_condition, etag, "etag", "Its ETag as If-Match has it, or *.",           .flags = FIELD_INPUT),
};

static const struct field bulk_fields[] = {
    FIELD(BULK_CREATE,     struct bulk, objects.create, "create",     "Objects to be made.",                             .flags = FIELD_INPUT, .of = &object_edit_schema,    .limit = LIMIT_BULK_STEPS),
    FIELD(BULK_UPDATE,     struct bulk, objects.update, "update",     "Objects to be changed: each says its key.",       .flags = FIELD_INPUT, .of = &object_edit_schema,    .limit = LIMIT_BULK_STEPS),
    FIELD(BULK_DELETE,     struct bulk, objects.delete, "delete",     "Keys of objects to be deleted.",                  .flags = FIELD_INPUT,                               .limit = LIMIT_BULK_STEPS),
    FIELD(BULK_PROPERTIES, struct bulk, properties,     "properties", "The same of properties.",                         .flags = FIELD_INPUT, .of = &bulk_properties_schema),
    FIELD(BULK_IF,         struct bulk, conditions,     "if",         "ETags that things of the scene must have, by key.", .flags = FIELD_INPUT | FIELD_MAP, .of = &bulk_condition_schema, .limit = LIMIT_BULK_STEPS),
    FIELD(BULK_FENCE,      struct bulk, fences,         "fence",      "Fences of the locks that the client relies on, by the keys of objects that the request changes.", .flags = FIELD_INPUT | FIELD_MAP, .of = &fence_of_schema, .limit = LIMIT_BULK_STEPS),
};

static const struct field properties_fields[] = {
    FIELD(BULK_CREATE, struct bulk_part, create, "create", "Properties to be made.",                       .flags = FIELD_INPUT, .of = &property_edit_schema, .limit = LIMIT_BULK_STEPS),
    FIELD(BULK_UPDATE, struct bulk_part, update, "update", "Properties to be changed: each says its key.", .flags = FIELD_INPUT, .of = &property_edit_schema, .limit = LIMIT_BULK_STEPS),
    FIELD(BULK_DELETE, struct bulk_part, delete, "delete", "Keys of properties to be deleted.",            .flags = FIELD_INPUT,                              .limit = LIMIT_BULK_STEPS),
};

static const struct field result_fields[] = {
    FIELD(BULK_RESULT_CREATED,    struct bulk_result, created,    "created",            "Keys of the new objects, in the order of the request.",    .limit = LIMIT_BULK_STEPS),
    FIELD(BULK_RESULT_PROPERTIES, struct bulk_result, properties, "created_properties", "Keys of the new properties, in the order of the request.", .limit = LIMIT_BULK_STEPS),
};
// clang-format on

const struct schema bulk_schema = SCHEMA(struct bulk, "bulk", "bulk", bulk_fields);
const struct schema bulk_properties_schema =
    SCHEMA(struct bulk_part, "bulk_properties", "properties", properties_fields);
const struct schema bulk_condition_schema =
    SCHEMA(struct bulk_condition, "bulk_condition", "conditions", condition_fields);
const struct schema bulk_result_schema =
    SCHEMA(struct bulk_result, "bulk_result", "bulk_results", result_fields);
const struct view bulk_result_view_full = {.of = &bulk_result_schema, .name = ""};
