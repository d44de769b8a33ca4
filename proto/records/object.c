// object.c - the fields of an object, in the order in which answers and feeds show them.
#include "proto/records/object.h"

#include "proto/base/limits.h"
#include "proto/records/geopose.h"

ENTITY_BEGINS(struct object);
_Static_assert(sizeof(struct object) == 216 && sizeof(struct object_rare) == 112,
               "every object in memory has the first one, few have the second one");

// The row of a member of the rare part.
#define RARE(id_, member_, name_, about_, ...)                                                     \
    FIELD(id_, struct object_rare, member_, name_, about_, .rare = offsetof(struct object, rare),  \
          __VA_ARGS__)

// clang-format off
// The rows that only a request has, those that answers may have too, then those of the record; its actions stand in both.
static const struct field object_fields[] = {
    FIELD(OBJECT_DEVICE,              struct object_edit, device,        "device",             "Key of the device that sends the update by UDP.",     .flags = FIELD_INPUT | FIELD_KEY),
    FIELD(OBJECT_EVENT,               struct object_edit, event,         "msg_type",           "What a datagram changes.",                            .flags = FIELD_DERIVED | FIELD_OPTIONAL),
    FIELD(OBJECT_TOKEN,               struct object_edit, token,         "token",              "Feed token of the device that sends it by UDP.",     .flags = FIELD_INPUT),
    FIELD(OBJECT_FENCE,               struct object_edit, fence,         "fence",              "Fence of the lock that whoever sends it relies on.",  .flags = FIELD_INPUT),
    RARE( OBJECT_ACTIONS,             actions,            "actions",            "Its animations.",                                     .of = &object_action_edit_schema, .limit = LIMIT_ACTIONS),
    TRANSFORM_INPUT_FIELDS(struct object_edit, FIELD_OPTIONAL | FIELD_TRANSIENT),
    FIELD(OBJECT_GEOPOSE,             struct object_edit, geopose,       "geopose",            "Where it is on Earth: GeoPose, Basic-Quaternion. In a request it wins over other translations and rotations.", .flags = FIELD_OPTIONAL | FIELD_TRANSIENT, .of = &geopose_schema),
    FIELD(OBJECT_KEY,                 struct object, key,                "key",                "Identifies the object; generated.",                   .flags = FIELD_KEY | FIELD_FIXED),
    FIELD(OBJECT_NAME,                struct object, name,               "name",               "Name for people.",                                    .flags = FIELD_FILTER),
    FIELD(OBJECT_SCENE,               struct object, scene,              "scene",              "Key of its scene.",                                   .flags = FIELD_FIXED),
    FIELD(OBJECT_TYPE,                struct object, type,               "type",               "Kind of object: Curve, Mesh, …",                      .flags = FIELD_FILTER),
    FIELD(OBJECT_SUBTYPE,             struct object, subtype,            "subtype",            "Kind within the type: Sphere, Cube, …",               .flags = FIELD_FILTER),
    RARE( OBJECT_OWNER,               owner,              "owner",              "Key of the device that holds its lock.",              .flags = FIELD_KEY | FIELD_FILTER),
    RARE( OBJECT_PARENT,              parent,             "parent",             "Key of its parent object.",                           .flags = FIELD_FILTER),
    RARE( OBJECT_ASSET_SUB_ID,        asset_sub_id,       "asset_sub_id",       "Part of its asset that it shows.",                    .flags = FIELD_FILTER),
    RARE( OBJECT_FRAME,               frame,              "frame",              "Number of its animation frame.",                      .flags = FIELD_FILTER | FIELD_OPTIONAL),
    RARE( OBJECT_TIMESTAMP,           timestamp,          "timestamp",          "Time of its state, in units of the client.",          .flags = FIELD_FILTER | FIELD_OPTIONAL),
    FIELD(OBJECT_TRANSFORM,           struct object, transform,          "transform",          "4x4 matrix, row-major; translation at 3, 7, 11.",     .flags = FIELD_OPTIONAL, .axes = AXES_MATRIX),
    FIELD(OBJECT_ASSETS,              struct object, assets,             "assets",             "Keys of its assets.",                                 .flags = FIELD_FILTER, .limit = LIMIT_ASSETS),
    RARE( OBJECT_TRANSLATION_HANDLE,  translation_handle, "translation_handle", "Handles of x, y, z.",                                 .flags = FIELD_OPTIONAL, .of = &handle_schema, .limit = 3, .axes = AXES_POINT),
    RARE( OBJECT_ROTATION_HANDLE,     rotation_handle,    "rotation_handle",    "Handles of w, x, y, z.",                              .flags = FIELD_OPTIONAL, .of = &handle_schema, .limit = 4, .axes = AXES_QUATERNION),
    RARE( OBJECT_SCALE_HANDLE,        scale_handle,       "scale_handle",       "Handles of x, y, z.",                                 .flags = FIELD_OPTIONAL, .of = &handle_schema, .limit = 3, .axes = AXES_SCALE),
    RARE( OBJECT_TAGS,                tags,               "tags",               "Words to search by.",                                 .flags = FIELD_FILTER | FIELD_WORDS | FIELD_OPTIONAL, .limit = LIMIT_TAGS),
    RARE( OBJECT_EXTRAS,              extras,             "extras",             "Whatever clients keep with it: any JSON but null and [], at most 4,096 bytes and 8 levels of arrays and objects.", .flags = FIELD_JSON | FIELD_OPTIONAL, .limit = LIMIT_EXTRAS_BYTES, .levels = LIMIT_EXTRAS_DEPTH),
    RARE( OBJECT_VISIBLE,             visible,            "visible",            "Whether it is to be shown.",                          .flags = FIELD_OPTIONAL, .otherwise = "true"),
    RARE( OBJECT_LOCKED,              lock,               "lock",               "Its lock, if one is held.",                           .flags = FIELD_OPTIONAL | FIELD_FIXED, .of = &lock_schema),
    RARE( OBJECT_NEWEST_FENCE,        newest_fence,       "newest_fence",       "Fence of its newest lock.",                           .flags = FIELD_HIDDEN | FIELD_FIXED),
    FIELD(OBJECT_CHANGED,             struct object, changed_us,         "changed_us",         "When it was changed last, since 1970.",               .flags = FIELD_HIDDEN | FIELD_FIXED | FIELD_OPTIONAL, .unit = "us"),
    FIELD(OBJECT_USER,                struct object, user,               "user",               "Id of the user who pays for it.",                     .flags = FIELD_HIDDEN | FIELD_FIXED),
    RARE( OBJECT_ACTIONS,             actions,            "actions",            "Its animations.",                                     .of = &object_action_schema, .limit = LIMIT_ACTIONS),
};
// clang-format on

enum {
    OBJECT_ROWS = sizeof object_fields / sizeof object_fields[0],
    OBJECT_EDIT_ROWS = 11,  // that come first
    OBJECT_PLACED_ROWS = 6, // the last of them
    OBJECT_STORED_ROWS = 1, // that come last, of what a request says otherwise
};

const struct schema object_schema = {.name = "object",
                                     .array = "objects",
                                     .size = sizeof(struct object),
                                     .count = OBJECT_ROWS - OBJECT_EDIT_ROWS,
                                     .fields = object_fields + OBJECT_EDIT_ROWS,
                                     .rare = offsetof(struct object, rare),
                                     .rare_size = sizeof(struct object_rare)};
const struct schema object_edit_schema = {.name = "object",
                                          .array = "objects",
                                          .size = sizeof(struct object_edit),
                                          .count = OBJECT_ROWS - OBJECT_STORED_ROWS,
                                          .fields = object_fields,
                                          .rare = offsetof(struct object, rare),
                                          .rare_size = sizeof(struct object_rare)};

const struct schema object_placed_schema = {
    .name = "object",
    .array = "objects",
    .size = sizeof(struct object_edit),
    .count = OBJECT_ROWS - OBJECT_EDIT_ROWS + OBJECT_PLACED_ROWS,
    .fields = object_fields + OBJECT_EDIT_ROWS - OBJECT_PLACED_ROWS,
    .rare = offsetof(struct object, rare),
    .rare_size = sizeof(struct object_rare),
};

#define OBJECT_FED                                                                                 \
    (FIELD_BIT(OBJECT_KEY) | FIELD_BIT(OBJECT_NAME) | FIELD_BIT(OBJECT_SCENE) |                    \
     FIELD_BIT(OBJECT_TYPE) | FIELD_BIT(OBJECT_SUBTYPE) | FIELD_BIT(OBJECT_OWNER) |                \
     FIELD_BIT(OBJECT_PARENT) | FIELD_BIT(OBJECT_FRAME) | FIELD_BIT(OBJECT_TIMESTAMP) |            \
     FIELD_BIT(OBJECT_TRANSFORM) | FIELD_BIT(OBJECT_ASSETS) | FIELD_BIT(OBJECT_TAGS) |             \
     FIELD_BIT(OBJECT_EXTRAS) | FIELD_BIT(OBJECT_VISIBLE))

// One that is created without a transform gets the identity.
#define HAS_TRANSFORM .always = FIELD_BIT(OBJECT_TRANSFORM)

const struct view object_view_full = {.of = &object_schema, .name = "", HAS_TRANSFORM};
const struct view object_view_placed = {
    .of = &object_placed_schema, .name = "placed", HAS_TRANSFORM};
const struct view object_view_created = {.of = &object_schema,
                                         .name = "created",
                                         .fields =
                                             FIELD_BIT(OBJECT_KEY) | FIELD_BIT(OBJECT_TRANSFORM),
                                         HAS_TRANSFORM};
const struct view object_view_listed = {.of = &object_placed_schema,
                                        .name = "listed",
                                        .revealed = FIELD_BIT(OBJECT_CHANGED),
                                        HAS_TRANSFORM};
const struct view object_view_fed = {.fields = OBJECT_FED};
const struct view object_view_fed_actions = {.fields = OBJECT_FED | FIELD_BIT(OBJECT_ACTIONS)};
