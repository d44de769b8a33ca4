// geodesy.c - the haversine formula, which stays exact for near places, and boxes (geodesy.h).

#include "proto/spatial/geodesy.h"

#include <math.h>

static double
radians(double degrees)
{
    return degrees * (M_PI / 180.0);
}

struct geodesy_point
geodesy_point_at(double latitude, double longitude)
{
    return (struct geodesy_point){latitude, longitude, cos(radians(latitude))};
}

double
geodesy_distance_from_km(const struct geodesy_point *point, double latitude, double longitude)
{
    double half_latitude = sin(radians(point->latitude - latitude) / 2);
    double half_longitude = sin(radians(point->longitude - longitude) / 2);
    double h = half_latitude * half_latitude +
               cos(radians(latitude)) * point->cos_latitude * half_longitude * half_longitude;
    return 2 * GEODESY_RADIUS_KM * asin(sqrt(fmin(1.0, h)));
}

double
geodesy_distance_km(double latitude_a, double longitude_a, double latitude_b, double longitude_b)
{
    const struct geodesy_point point = geodesy_point_at(latitude_b, longitude_b);
    return geodesy_distance_from_km(&point, latitude_a, longitude_a);
}

bool
geodesy_is_on_map(double latitude, double longitude)
{
    return fabs(latitude) <= 90.0 && fabs(longitude) <= 180.0;
}

static bool
is_between(const struct geodesy_box *box, double longitude)
{
    if (box->west > box->east)
        return longitude >= box->west || longitude <= box->east;
    return longitude >= box->west && longitude <= box->east;
}

bool
geodesy_is_in_box(const struct geodesy_box *box, double latitude, double longitude)
{
    bool is_on_date_line = fabs(longitude) == 180.0;
    return latitude >= box->south && latitude <= box->north &&
           (is_between(box, longitude) || (is_on_date_line && is_between(box, -longitude)));
}
