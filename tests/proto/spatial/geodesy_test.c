// geodesy_test.c - distances on the sphere of 6,371 km. Expected kilometres are arcs: radius times
// angle.
#include "proto/spatial/geodesy.h"

#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/samples.h"

#define RADIUS_KM 6371.0
#define DEGREE (M_PI / 180)

static void
check(double latitude_a, double longitude_a, double latitude_b, double longitude_b, double km)
{
    double forth = geodesy_distance_km(latitude_a, longitude_a, latitude_b, longitude_b);
    double back = geodesy_distance_km(latitude_b, longitude_b, latitude_a, longitude_a);
    cr_assert_float_eq(forth, km, 1e-9 * RADIUS_KM, "%.12f instead of %.12f", forth, km);
    cr_assert_float_eq(back, forth, 1e-12 * RADIUS_KM);
}

Test(geodesy, a_place_has_no_distance_from_itself)
{
    cr_assert_eq(geodesy_distance_km(52.5, 13.4, 52.5, 13.4), 0);
    cr_assert_eq(geodesy_distance_km(90, 0, 90, 0), 0);
}

Test(geodesy, along_meridian_and_equator_it_is_the_arc)
{
    check(0, 0, 1, 0, RADIUS_KM * DEGREE);
    check(-45, 7, 45, 7, RADIUS_KM * 90 * DEGREE);
    check(0, 10, 0, 100, RADIUS_KM * 90 * DEGREE);
}

Test(geodesy, the_other_side_of_the_world_is_half_a_circle_away)
{
    check(0, 0, 0, 180, RADIUS_KM * M_PI);
    check(90, 0, -90, 55, RADIUS_KM * M_PI);
    check(30, 20, -30, -160, RADIUS_KM * M_PI);
}

Test(geodesy, the_date_line_is_no_border)
{
    check(0, 179.5, 0, -179.5, RADIUS_KM * DEGREE);
    check(0, 180, 0, -180, 0);
}

Test(geodesy, every_meridian_meets_at_the_pole)
{
    check(90, 0, 90, 123, 0);
    check(89, 0, 89, 180, RADIUS_KM * 2 * DEGREE);
}

Test(geodesy, is_exact_for_places_a_millimetre_apart)
{
    double degrees = 1e-6 / RADIUS_KM / DEGREE; // of a millimetre, in km
    double km = geodesy_distance_km(48, 11, 48 + degrees, 11);
    cr_assert_float_eq(km, 1e-6, 1e-8, "%.12g", km);
}

// Berlin (52.5200, 13.4050) to Paris (48.8566, 2.3522) by the spherical law of cosines.
Test(geodesy, agrees_with_the_law_of_cosines)
{
    double angle = acos(sin(52.52 * DEGREE) * sin(48.8566 * DEGREE) +
                        cos(52.52 * DEGREE) * cos(48.8566 * DEGREE) * cos(11.0528 * DEGREE));
    check(52.52, 13.405, 48.8566, 2.3522, RADIUS_KM * angle);
    cr_assert_float_eq(RADIUS_KM * angle, 877.46, 0.01);
}

Test(geodesy, no_two_places_are_further_apart_than_half_a_circle_and_detours_are_longer)
{
    struct random random = {1};
    for (int i = 0; i < 10000; i++) {
        double at[6];
        for (int k = 0; k < 6; k++)
            at[k] = ((double)random_below(&random, 2000001) / 1e6 - 1) * (k % 2 ? 180 : 90);
        double direct = geodesy_distance_km(at[0], at[1], at[2], at[3]);
        double detour = geodesy_distance_km(at[0], at[1], at[4], at[5]) +
                        geodesy_distance_km(at[4], at[5], at[2], at[3]);
        cr_assert(direct >= 0 && direct <= RADIUS_KM * M_PI * (1 + 1e-12));
        cr_assert_leq(direct, detour + 1e-6);
    }
}

Test(geodesy, the_map_ends_at_the_poles_and_the_date_line)
{
    cr_assert(geodesy_is_on_map(90, 180));
    cr_assert(geodesy_is_on_map(-90, -180));
    cr_assert(geodesy_is_on_map(0, 0));
    cr_assert_not(geodesy_is_on_map(100, 0)); // as real clients store it
    cr_assert_not(geodesy_is_on_map(nextafter(90, 91), 0));
    cr_assert_not(geodesy_is_on_map(0, nextafter(-180, -181)));
}

Test(geodesy, a_box_has_its_edges_and_nothing_beyond)
{
    const struct geodesy_box box = {.south = -10, .west = 20, .north = 30, .east = 40};
    cr_assert(geodesy_is_in_box(&box, -10, 20));
    cr_assert(geodesy_is_in_box(&box, 30, 40));
    cr_assert_not(geodesy_is_in_box(&box, -10.001, 30));
    cr_assert_not(geodesy_is_in_box(&box, 30.001, 30));
    cr_assert_not(geodesy_is_in_box(&box, 0, 19.999));
    cr_assert_not(geodesy_is_in_box(&box, 0, 40.001));
}

Test(geodesy, a_box_whose_west_is_larger_lies_over_the_date_line)
{
    const struct geodesy_box box = {.south = 0, .west = 170, .north = 1, .east = -175};
    cr_assert(geodesy_is_in_box(&box, 0, 170));
    cr_assert(geodesy_is_in_box(&box, 0, -175));
    cr_assert(geodesy_is_in_box(&box, 0, 180));
    cr_assert(geodesy_is_in_box(&box, 0, -180));
    cr_assert_not(geodesy_is_in_box(&box, 0, 0));
    cr_assert_not(geodesy_is_in_box(&box, 0, 169.999));
}

Test(geodesy, the_date_line_is_in_a_box_by_both_its_names)
{
    const struct geodesy_box east = {.west = -180, .east = -170}, west = {.west = 170, .east = 180};
    cr_assert(geodesy_is_in_box(&east, 0, 180));
    cr_assert(geodesy_is_in_box(&west, 0, -180));
}
