// geodesy.c - the haversine formula, which stays exact for near places (geodesy.h).

#include "actors/scene/geodesy.h"

#include <math.h>

static double
radians(double degrees)
{
    return degrees * (M_PI / 180.0);
}

double
geodesy_distance_km(double latitude_a, double longitude_a, double latitude_b, double longitude_b)
{
    double half_latitude = sin(radians(latitude_b - latitude_a) / 2);
    double half_longitude = sin(radians(longitude_b - longitude_a) / 2);
    double h = half_latitude * half_latitude + cos(radians(latitude_a)) * cos(radians(latitude_b)) *
                                                   half_longitude * half_longitude;
    return 2 * GEODESY_RADIUS_KM * asin(sqrt(fmin(1.0, h)));
}

bool
geodesy_is_on_map(double latitude, double longitude)
{
    return fabs(latitude) <= 90.0 && fabs(longitude) <= 180.0;
}
