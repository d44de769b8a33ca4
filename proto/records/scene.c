// scene.c - the fields of a scene, in the order in which answers show them.
#include "proto/records/scene.h"

#include "proto/base/limits.h"
#include "proto/records/device.h"
#include "proto/spatial/geodesy.h"

#define HEIGHT_MOST 1e7 // metres, as of a GeoPose

// clang-format off
static const struct field scene_fields[] = {
    FIELD(SCENE_KEY,         struct scene, key,         "key",         "Identifies the scene.",                              .flags = FIELD_KEY | FIELD_FILTER | FIELD_FIXED | FIELD_OPTIONAL),
    FIELD(SCENE_NAME,        struct scene, name,        "name",        "Name for people.",                                   .flags = FIELD_FILTER),
    FIELD(SCENE_DESCRIPTION, struct scene, description, "description", "Description for people."),
    FIELD(SCENE_REGION,      struct scene, region,      "region",      "The region that it belongs to.",                     .flags = FIELD_FILTER),
    FIELD(SCENE_LATITUDE,    struct scene, latitude,    "latitude",    "Degrees north; any finite number.",                  .unit = "deg", .likely = 90),
    FIELD(SCENE_LONGITUDE,   struct scene, longitude,   "longitude",   "Degrees east; any finite number.",                   .unit = "deg", .likely = 180),
    FIELD(SCENE_HEIGHT,      struct scene, height_m,    "height_m",    "Height of its origin above the WGS 84 ellipsoid; 0 if absent.", .flags = FIELD_OPTIONAL, .unit = "m", .minimum = -HEIGHT_MOST, .maximum = HEIGHT_MOST),
    FIELD(SCENE_HEADING,     struct scene, heading_deg, "heading_deg", "Where its -Z points: clockwise from true north, seen from above; 0 if absent.", .flags = FIELD_OPTIONAL, .unit = "deg", .minimum = -360, .maximum = 360),
    FIELD(SCENE_ACTIVE,      struct scene, active,      "active",      "Whether it is in use."),
    FIELD(SCENE_PUBLIC,      struct scene, is_public,   "public",      "Whether users other than its own may see it.",       .flags = FIELD_ACCESS, .alias = "isPublic"),
    FIELD(SCENE_DISTANCE,    struct scene, distance,    "distance",    "Distance from the point of the query; in a filter, the radius.", .unit = "km", .flags = FIELD_TRANSIENT),
    FIELD(SCENE_ASSETS,      struct scene, assets,      "assets",      "Keys of its assets.",                                .alias = "asset_ids", .flags = FIELD_FILTER, .limit = LIMIT_ASSETS),
    FIELD(SCENE_TAGS,        struct scene, tags,        "tags",        "Words to search by.",                                .flags = FIELD_FILTER | FIELD_WORDS, .limit = LIMIT_TAGS),
    FIELD(SCENE_USER,        struct scene, user,        "user",        "Id of the user who owns it.",                        .flags = FIELD_FIXED | FIELD_OWNER),
    FIELD(SCENE_THUMBNAIL,   struct scene, thumbnail,   "thumbnail",   "Key of the asset with its picture."),
    FIELD(SCENE_DEVICES,     struct scene, devices,     "devices",     "The devices registered to it.",                      .flags = FIELD_TRANSIENT, .of = &device_schema, .limit = LIMIT_SCENE_DEVICES),
    FIELD(SCENE_TRANSFORM,   struct scene, transform,   "transform",   "From the origin scene to this one, if derived.",     .flags = FIELD_DERIVED | FIELD_OPTIONAL, .of = &pose_schema),
    FIELD(SCENE_ID,          struct scene, id,          "id",          "Tells it from scenes that had its key before.",      .flags = FIELD_HIDDEN),
    FIELD(SCENE_MADE_BY,     struct scene, made_by,     "made_by",     "Which request made it, by its Idempotency-Key.",     .flags = FIELD_HIDDEN),
    FIELD(SCENE_CREATED,     struct scene, created_us,  "created_us",  "When it was created, since 1970.",                   .flags = FIELD_HIDDEN | FIELD_FIXED | FIELD_OPTIONAL, .unit = "us"),
    FIELD(SCENE_CHANGED,     struct scene, changed_us,  "changed_us",  "When it was changed last, since 1970.",              .flags = FIELD_HIDDEN | FIELD_FIXED | FIELD_OPTIONAL, .unit = "us"),
};
// clang-format on

const struct schema scene_schema = SCHEMA(struct scene, "scene", "scenes", scene_fields);

#define SCENE_FOUND                                                                                \
    (FIELD_BIT(SCENE_KEY) | FIELD_BIT(SCENE_NAME) | FIELD_BIT(SCENE_DESCRIPTION) |                 \
     FIELD_BIT(SCENE_REGION) | FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE) |            \
     FIELD_BIT(SCENE_ACTIVE) | FIELD_BIT(SCENE_PUBLIC) | FIELD_BIT(SCENE_DISTANCE) |               \
     FIELD_BIT(SCENE_ASSETS) | FIELD_BIT(SCENE_TAGS) | FIELD_BIT(SCENE_USER) |                     \
     FIELD_BIT(SCENE_THUMBNAIL) | FIELD_BIT(SCENE_HEIGHT) | FIELD_BIT(SCENE_HEADING))

#define SCENE_REGISTERED                                                                           \
    (FIELD_BIT(SCENE_KEY) | FIELD_BIT(SCENE_ACTIVE) | FIELD_BIT(SCENE_PUBLIC) |                    \
     FIELD_BIT(SCENE_DISTANCE) | FIELD_BIT(SCENE_ASSETS) | FIELD_BIT(SCENE_TAGS) |                 \
     FIELD_BIT(SCENE_DEVICES) | FIELD_BIT(SCENE_TRANSFORM))

#define SCENE_VIEW(name_, fields_, ...)                                                            \
    {                                                                                              \
        .of = &scene_schema, .name = (name_), .fields = (fields_), __VA_ARGS__                     \
    }

#define HAS_KEY .always = FIELD_BIT(SCENE_KEY)

const struct view scene_view_key = SCENE_VIEW("key", FIELD_BIT(SCENE_KEY), HAS_KEY);
const struct view scene_view_full = SCENE_VIEW("", SCENE_FOUND | FIELD_BIT(SCENE_DEVICES), HAS_KEY);
const struct view scene_view_found = SCENE_VIEW("found", SCENE_FOUND, HAS_KEY, .aliases = true);
const struct view scene_view_listed =
    SCENE_VIEW("listed", SCENE_FOUND & ~FIELD_BIT(SCENE_DISTANCE), HAS_KEY,
               .revealed = FIELD_BIT(SCENE_CREATED) | FIELD_BIT(SCENE_CHANGED));
const struct view scene_view_registered = SCENE_VIEW("registered", SCENE_REGISTERED);

bool
scene_is_on_map(const struct scene *self)
{
    return record_has(&self->base, SCENE_LATITUDE) && record_has(&self->base, SCENE_LONGITUDE) &&
           geodesy_is_on_map(self->latitude, self->longitude);
}

bool
scene_frame(const struct scene *self, struct geo_frame *ret_frame)
{
    const struct geo_point origin = {self->latitude, self->longitude, self->height_m};
    if (!scene_is_on_map(self) || !geo_point_is_on_map(&origin))
        return false;
    geo_frame_init(ret_frame, &origin, self->heading_deg);
    return true;
}

bool
scene_place_on_map(const struct record *scene, double *ret_latitude, double *ret_longitude)
{
    const struct scene *self = scene_of(scene);
    *ret_latitude = self->latitude;
    *ret_longitude = self->longitude;
    return scene_is_on_map(self);
}

struct scene *
scene_with_devices(struct arena *arena, const struct record *scene, const struct records *devices)
{
    struct record *copy = record_copy(arena, &scene_schema, scene);
    ((struct scene *)(void *)copy)->devices = devices;
    record_mark(copy, SCENE_DEVICES);
    return (struct scene *)(void *)copy;
}
