// geodesy.h - distances on the sphere that scene queries use. Pure.
#ifndef DIORAMA_ACTORS_SCENE_GEODESY_H
#define DIORAMA_ACTORS_SCENE_GEODESY_H

#include <stdbool.h>

#define GEODESY_RADIUS_KM 6371.0
#define GEODESY_KM_PER_DEGREE (GEODESY_RADIUS_KM * 3.14159265358979323846 / 180)

// Great-circle distance in kilometres on a sphere of 6,371 km; degrees in.
double geodesy_distance_km(double latitude_a, double longitude_a, double latitude_b,
                           double longitude_b);

// Whether a place is on the map: within +-90 and +-180 degrees.
bool geodesy_is_on_map(double latitude, double longitude);

#endif
