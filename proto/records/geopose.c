// geopose.c - the fields of a GeoPose, as the standard names and orders them.
#include "proto/records/geopose.h"

#define HEIGHT_MOST 1e7 // metres; beyond it a height is a mistake

// clang-format off
static const struct field position_fields[] = {
    FIELD(GEOPOSE_LAT, struct geopose_position, lat, "lat", "Degrees north, WGS 84.",         .unit = "deg", .minimum = -90,  .maximum = 90),
    FIELD(GEOPOSE_LON, struct geopose_position, lon, "lon", "Degrees east, WGS 84.",          .unit = "deg", .minimum = -180, .maximum = 180),
    FIELD(GEOPOSE_H,   struct geopose_position, h,   "h",   "Height above the ellipsoid.",    .unit = "m",   .minimum = -HEIGHT_MOST, .maximum = HEIGHT_MOST),
};

static const struct field quaternion_fields[] = {
    FIELD(GEOPOSE_X, struct geopose_quaternion, x, "x", "Turns about the axis that points right, or east."),
    FIELD(GEOPOSE_Y, struct geopose_quaternion, y, "y", "About the axis that points forward, or north."),
    FIELD(GEOPOSE_Z, struct geopose_quaternion, z, "z", "About the axis that points up."),
    FIELD(GEOPOSE_W, struct geopose_quaternion, w, "w", "The real part."),
};

static const struct field geopose_fields[] = {
    FIELD(GEOPOSE_POSITION,   struct geopose, position,   "position",   "Where it is.",                                        .of = &geopose_position_schema),
    FIELD(GEOPOSE_QUATERNION, struct geopose, quaternion, "quaternion", "Unit quaternion, from the body to east, north, up there.", .of = &geopose_quaternion_schema),
};
// clang-format on

const struct schema geopose_position_schema =
    SCHEMA(struct geopose_position, "geopose_position", "positions", position_fields);
const struct schema geopose_quaternion_schema =
    SCHEMA(struct geopose_quaternion, "geopose_quaternion", "quaternions", quaternion_fields);
const struct schema geopose_schema = SCHEMA(struct geopose, "geopose", "geoposes", geopose_fields);
