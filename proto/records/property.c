// property.c - the fields of a property, in the order in which answers and feeds show them.
#include "proto/records/property.h"

#include "proto/base/limits.h"
#include "proto/records/action.h"

ENTITY_BEGINS(struct property);

// clang-format off
// The rows that only a request has, then those of the record.
static const struct field property_fields[] = {
    FIELD(PROPERTY_EVENT,        struct property_edit, event,   "msg_type",     "What a datagram changes.",                      .flags = FIELD_DERIVED | FIELD_OPTIONAL),
    FIELD(PROPERTY_TOKEN,        struct property_edit, token,   "token",        "Feed token of the device that sends it by UDP.", .flags = FIELD_INPUT),
    FIELD(PROPERTY_KEY,          struct property, key,          "key",          "Identifies the property; generated or chosen.", .flags = FIELD_KEY | FIELD_FIXED),
    FIELD(PROPERTY_NAME,         struct property, name,         "name",         "Name for people.",                              .flags = FIELD_FILTER),
    FIELD(PROPERTY_SCENE,        struct property, scene,        "scene",        "Key of its scene.",                             .flags = FIELD_FIXED),
    FIELD(PROPERTY_PARENT,       struct property, parent,       "parent",       "Key of the object that it belongs to.",         .flags = FIELD_FILTER),
    FIELD(PROPERTY_ASSET_SUB_ID, struct property, asset_sub_id, "asset_sub_id", "Part of an asset that it refers to.",           .flags = FIELD_FILTER),
    FIELD(PROPERTY_FRAME,        struct property, frame,        "frame",        "Number of its animation frame.",                .flags = FIELD_FILTER | FIELD_OPTIONAL),
    FIELD(PROPERTY_TIMESTAMP,    struct property, timestamp,    "timestamp",    "Time of its state, in units of the client.",    .flags = FIELD_FILTER | FIELD_OPTIONAL),
    FIELD(PROPERTY_VALUES,       struct property, values,       "values",       "Numbers or value records, as last written.",    .flags = FIELD_SCALAR_ITEMS, .of = &value_schema, .limit = LIMIT_VALUES),
    FIELD(PROPERTY_USER,         struct property, user,         "user",         "Id of the user who pays for it.",               .flags = FIELD_HIDDEN | FIELD_FIXED),
    FIELD(PROPERTY_ACTIONS,      struct property, actions,      "actions",      "Its animations.",                               .of = &property_action_schema, .limit = LIMIT_ACTIONS),
};
// clang-format on

enum { PROPERTY_EDIT_ROWS = 2 };

const struct schema property_schema = {.name = "property",
                                       .array = "properties",
                                       .size = sizeof(struct property),
                                       .count = sizeof property_fields / sizeof property_fields[0] -
                                                PROPERTY_EDIT_ROWS,
                                       .fields = property_fields + PROPERTY_EDIT_ROWS};
const struct schema property_edit_schema =
    SCHEMA(struct property_edit, "property", "properties", property_fields);

#define PROPERTY_FED                                                                               \
    (FIELD_BIT(PROPERTY_KEY) | FIELD_BIT(PROPERTY_NAME) | FIELD_BIT(PROPERTY_SCENE) |              \
     FIELD_BIT(PROPERTY_PARENT) | FIELD_BIT(PROPERTY_ASSET_SUB_ID) | FIELD_BIT(PROPERTY_FRAME) |   \
     FIELD_BIT(PROPERTY_TIMESTAMP) | FIELD_BIT(PROPERTY_VALUES))

const struct view property_view_full = {.of = &property_schema, .name = ""};
const struct view property_view_created = {
    .of = &property_schema, .name = "created", .fields = FIELD_BIT(PROPERTY_KEY)};
const struct view property_view_fed = {.fields = PROPERTY_FED};
const struct view property_view_fed_actions = {.fields =
                                                   PROPERTY_FED | FIELD_BIT(PROPERTY_ACTIONS)};
