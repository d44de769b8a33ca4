// geo_search_test.c - a search that pauses finds what it finds in one piece, whatever changes on
// the map meanwhile.
#include "actors/scene/geo_search.h"

#include <criterion/criterion.h>
#include <math.h>

#include "proto/spatial/geodesy.h"
#include "tests/support/samples.h"

enum { PLACES = 3000 };

struct place {
    double latitude, longitude;
    unsigned found; // how often
};

static struct geo_index map;
static struct place places[PLACES];
static struct random dice = {5};

static double
random_angle(double limit)
{
    return ((double)random_below(&dice, 2000001) / 1e6 - 1) * limit;
}

static void
put(struct place *place, double latitude, double longitude)
{
    place->latitude = latitude;
    place->longitude = longitude;
    geo_index_add(&map, latitude, longitude, place);
}

static void
begin(void)
{
    for (size_t i = 0; i < PLACES; i++)
        put(&places[i], random_angle(90), random_angle(180));
}

static void
end(void)
{
    geo_index_finish(&map);
}

TestSuite(geo_search, .init = begin, .fini = end);

static double
visit(void *context, const void *value, double distance_km)
{
    (void)context, (void)distance_km;
    ((struct place *)(uintptr_t)value)->found++;
    return INFINITY;
}

static bool
always(void *context)
{
    (void)context;
    return true;
}

static struct geo_search
search_from(double latitude, double longitude, double radius_km)
{
    for (size_t i = 0; i < PLACES; i++)
        places[i].found = 0;
    return (struct geo_search){.latitude = latitude,
                               .longitude = longitude,
                               .radius_km = radius_km,
                               .visit = visit,
                               .must_pause = always};
}

Test(geo_search, finds_in_slices_what_it_finds_in_one_piece)
{
    static const double radii_km[] = {1, 500, 3000, 15000, 30000};
    for (unsigned i = 0; i < 200; i++) {
        double latitude = random_angle(90), longitude = random_angle(180);
        double radius_km = radii_km[i % 5];
        struct geo_search search = search_from(latitude, longitude, radius_km);
        while (!geo_search_go_on(&search, &map))
            ;
        for (size_t k = 0; k < PLACES; k++) {
            bool is_near = geodesy_distance_km(places[k].latitude, places[k].longitude, latitude,
                                               longitude) <= radius_km;
            cr_assert_eq(places[k].found, is_near);
        }
    }
}

Test(geo_search, finds_what_lies_in_a_box_and_nothing_else)
{
    put(&places[0], 12, 180);
    put(&places[1], 13, -180);
    for (unsigned i = 0; i < 300; i++) {
        double a = random_angle(90), b = random_angle(90);
        struct geodesy_box box = {fmin(a, b), random_angle(180), fmax(a, b), random_angle(180)};
        if (i % 10 == 0)
            box.west = -180;
        if (i % 10 == 1)
            box.east = 180;
        struct geo_search search = search_from(0, 0, 0);
        search.box = &box;
        while (!geo_search_go_on(&search, &map))
            ;
        for (size_t k = 2; k < PLACES; k++)
            cr_assert_eq(geodesy_is_in_box(&box, places[k].latitude, places[k].longitude),
                         places[k].found);
        for (size_t k = 0; k < 2; k++) // they lie at two places
            cr_assert_geq(places[k].found,
                          geodesy_is_in_box(&box, places[k].latitude, places[k].longitude));
    }
}

Test(geo_search, of_one_place_in_many_blocks_goes_on_behind_the_last_entry)
{
    for (size_t i = 0; i < PLACES; i++) {
        geo_index_remove(&map, places[i].latitude, places[i].longitude, &places[i]);
        put(&places[i], 48, 11);
    }
    struct geo_search search = search_from(48, 11, 0);
    unsigned slices = 1;
    while (!geo_search_go_on(&search, &map))
        slices++;
    cr_assert_gt(slices, PLACES / 64);
    for (size_t i = 0; i < PLACES; i++)
        cr_assert_eq(places[i].found, 1);
}

// Each place that leaves is looked back at; each that comes is only seen if it lies ahead.
Test(geo_search, misses_nothing_that_moves_while_it_pauses)
{
    struct geo_search search = search_from(10, 20, INFINITY);
    while (!geo_search_go_on(&search, &map))
        for (int i = 0; i < 20; i++) {
            struct place *place = &places[random_below(&dice, PLACES)];
            geo_index_remove(&map, place->latitude, place->longitude, place);
            geo_search_look_back(&search, place->latitude, place->longitude, place);
            put(place, random_angle(90), random_angle(180));
        }
    for (size_t i = 0; i < PLACES; i++)
        cr_assert_geq(places[i].found, 1, "place %zu", i);
}

Test(geo_search, looks_back_at_nothing_that_it_has_passed_or_that_is_too_far)
{
    struct geo_search search = search_from(10, 20, 100);
    places[0].found = 0;
    geo_search_look_back(&search, 10, 22, &places[0]); // 219 km
    cr_expect_eq(places[0].found, 0);
    geo_search_look_back(&search, 10, 20.5, &places[0]);
    cr_expect_eq(places[0].found, 1, "it has not begun: all lies ahead");
    search = search_from(10, 20, INFINITY);
    while (!geo_search_go_on(&search, &map))
        ;
    places[0].found = 0;
    geo_search_look_back(&search, -90, -180, &places[0]);
    cr_expect_eq(places[0].found, 0, "it is at the end");
}
