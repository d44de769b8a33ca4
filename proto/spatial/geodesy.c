// geodesy.c - the haversine formula, which stays exact for near places, and boxes (geodesy.h).

#include "proto/spatial/geodesy.h"

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
