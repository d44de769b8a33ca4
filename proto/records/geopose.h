// geopose.h - the Basic-Quaternion GeoPose of an object or a device (OGC 21-056r11, 10.3).
#ifndef DIORAMA_PROTO_RECORDS_GEOPOSE_H
#define DIORAMA_PROTO_RECORDS_GEOPOSE_H

#include "proto/record/record.h"

enum geopose_position_field { GEOPOSE_LAT = 0, GEOPOSE_LON = 1, GEOPOSE_H = 2 };

struct geopose_position {
    struct record base;
    double lat, lon; // degrees north and east, WGS 84
    double h;        // metres above the ellipsoid
};

enum geopose_quaternion_field { GEOPOSE_X = 0, GEOPOSE_Y = 1, GEOPOSE_Z = 2, GEOPOSE_W = 3 };

// From the axes of the body to east, north, up at its position.
struct geopose_quaternion {
    struct record base;
    double x, y, z, w;
};

enum geopose_field { GEOPOSE_POSITION = 0, GEOPOSE_QUATERNION = 1 };

struct geopose {
    struct record base;
    const struct record *position;   // struct geopose_position
    const struct record *quaternion; // struct geopose_quaternion
};

extern const struct schema geopose_position_schema;
extern const struct schema geopose_quaternion_schema;
extern const struct schema geopose_schema;

#endif
