// geodesy.h - distances and areas on the sphere that scenes are searched on. Pure.
#ifndef DIORAMA_PROTO_SPATIAL_GEODESY_H
#define DIORAMA_PROTO_SPATIAL_GEODESY_H

#include <stdbool.h>

#define GEODESY_RADIUS_KM 6371.0
#define GEODESY_KM_PER_DEGREE (GEODESY_RADIUS_KM * 3.14159265358979323846 / 180)

// Great-circle distance in kilometres on a sphere of 6,371 km; degrees in.
double geodesy_distance_km(double latitude_a, double longitude_a, double latitude_b,
                           double longitude_b);

// The same from a point that is asked about often.
struct geodesy_point {
    double latitude, longitude, cos_latitude;
};
struct geodesy_point geodesy_point_at(double latitude, double longitude);
double geodesy_distance_from_km(const struct geodesy_point *point, double latitude,
                                double longitude);

// Whether a place is on the map: within +-90 and +-180 degrees.
bool geodesy_is_on_map(double latitude, double longitude);

// A part of the map between two parallels and two meridians, in degrees, its edges included. Where
// west > east it lies over the date line, which is both -180 and 180.
struct geodesy_box {
    double south, west, north, east;
};

// Whether a place of the map is in the box.
bool geodesy_is_in_box(const struct geodesy_box *box, double latitude, double longitude);

#endif
