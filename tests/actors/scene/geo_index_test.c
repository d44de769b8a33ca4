// geo_index_test.c - the index answers what a look at every place would.
#include "actors/scene/geo_index.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actors/scene/geo_search.h"
#include "proto/spatial/geodesy.h"
#include "tests/support/samples.h"

enum { PLACES = 4000 };

static const double HALF_CIRCLE_KM = GEODESY_RADIUS_KM * M_PI;

struct place {
    double latitude, longitude;
    bool is_in;
    unsigned found; // how often the last search visited it
};

// An index beside the plain list of what is in it.
struct world {
    struct geo_index geo;
    struct random random;
    struct place places[PLACES];
};

static double
random_unit(struct random *random)
{
    return (double)random_below(random, 1000001) / 1e6;
}

// Evenly by degrees, at the edges of the map, in a dense town, or on a coarse grid where many
// places are the same.
static void
random_place(struct random *random, double *ret_latitude, double *ret_longitude)
{
    static const double edges[] = {-1, 1, 0, 0.999999999, -0.999999999};
    double latitude = random_unit(random) * 2 - 1, longitude = random_unit(random) * 2 - 1;
    switch (random_below(random, 5)) {
    case 0:
        latitude = edges[random_below(random, 5)];
        break;
    case 1:
        longitude = edges[random_below(random, 5)];
        break;
    case 2:
        latitude = 0.5 + latitude / 1000;
        longitude = 0.25 + longitude / 1000;
        break;
    case 3:
        latitude = round(latitude * 4) / 4;
        longitude = round(longitude * 4) / 4;
        break;
    default:;
    }
    *ret_latitude = latitude * 90;
    *ret_longitude = longitude * 180;
}

// From nothing to more than the whole world, of every size between.
static double
random_radius_km(struct random *random)
{
    static const double round_ones[] = {0, HALF_CIRCLE_KM / 2, HALF_CIRCLE_KM, 1e9, INFINITY, 10};
    if (random_below(random, 4) == 0)
        return round_ones[random_below(random, 6)];
    return exp2(random_unit(random) * 24 - 8);
}

static void
note(struct place *place, double latitude, double longitude)
{
    place->latitude = latitude;
    place->longitude = longitude;
    place->is_in = true;
}

static void
put(struct world *world, struct place *place, double latitude, double longitude)
{
    note(place, latitude, longitude);
    geo_index_add(&world->geo, latitude, longitude, place);
}

static void
take(struct world *world, struct place *place)
{
    place->is_in = false;
    geo_index_remove(&world->geo, place->latitude, place->longitude, place);
}

static void
place_of(const void *value, double *ret_latitude, double *ret_longitude)
{
    const struct place *place = value;
    *ret_latitude = place->latitude;
    *ret_longitude = place->longitude;
}

// The first half of the places are put at once, as at a start, the others one after the other.
static struct world *
world_create(uint64_t seed, size_t count)
{
    struct world *world = calloc(1, sizeof *world);
    struct geo_load load = {0};
    double latitude, longitude;
    world->random = (struct random){seed};
    for (size_t i = 0; i < count / 2; i++) {
        random_place(&world->random, &latitude, &longitude);
        note(&world->places[i], latitude, longitude);
        geo_load_add(&load, latitude, longitude, &world->places[i]);
    }
    geo_index_fill(&world->geo, &load, place_of);
    for (size_t i = count / 2; i < count; i++) {
        random_place(&world->random, &latitude, &longitude);
        put(world, &world->places[i], latitude, longitude);
    }
    return world;
}

static void
world_destroy(struct world *world)
{
    geo_index_finish(&world->geo);
    free(world);
}

struct point {
    double latitude, longitude, radius_km;
    size_t count;
};

static double
visit(void *context, const void *value, double distance_km)
{
    struct point *point = context;
    struct place *place = (struct place *)(uintptr_t)value;
    place->found++;
    point->count++;
    cr_assert_eq(distance_km, geodesy_distance_km(place->latitude, place->longitude,
                                                  point->latitude, point->longitude));
    return INFINITY;
}

// Compares a search with a look at every place; returns how many were found.
static size_t
check_search(struct world *world, double latitude, double longitude, double radius_km)
{
    struct point point = {latitude, longitude, radius_km, 0};
    for (size_t i = 0; i < PLACES; i++)
        world->places[i].found = 0;
    geo_search_all(&world->geo, latitude, longitude, radius_km, visit, &point);
    for (size_t i = 0; i < PLACES; i++) {
        const struct place *place = &world->places[i];
        bool is_near = place->is_in && geodesy_distance_km(place->latitude, place->longitude,
                                                           latitude, longitude) <= radius_km;
        cr_assert_eq(place->found, is_near, "(%.17g, %.17g) from (%.17g, %.17g), radius %.17g",
                     place->latitude, place->longitude, latitude, longitude, radius_km);
    }
    return point.count;
}

static void
check_random_searches(struct world *world, int count)
{
    double latitude, longitude;
    for (int i = 0; i < count; i++) {
        random_place(&world->random, &latitude, &longitude);
        check_search(world, latitude, longitude, random_radius_km(&world->random));
    }
}

Test(geo_index, an_empty_index_finds_nothing)
{
    struct world *world = world_create(1, 0);
    cr_assert_eq(check_search(world, 0, 0, INFINITY), 0);
    geo_index_remove(&world->geo, 0, 0, world);
    cr_assert_eq(geo_index_size(&world->geo), 0);
    world_destroy(world);
}

Test(geo_index, finds_what_a_look_at_every_place_finds)
{
    struct world *world = world_create(2, PLACES);
    check_random_searches(world, 3000);
    world_destroy(world);
}

Test(geo_index, finds_the_same_from_a_place_as_far_as_another_one)
{
    struct world *world = world_create(3, PLACES);
    for (int i = 0; i < 1000; i++) {
        const struct place *from = &world->places[random_below(&world->random, PLACES)];
        const struct place *to = &world->places[random_below(&world->random, PLACES)];
        double km =
            geodesy_distance_km(to->latitude, to->longitude, from->latitude, from->longitude);
        cr_assert_geq(check_search(world, from->latitude, from->longitude, km), 1);
        cr_assert_geq(check_search(world, from->latitude, from->longitude, nextafter(km, 0)), 0);
    }
    world_destroy(world);
}

Test(geo_index, stays_right_while_places_come_move_and_go)
{
    struct world *world = world_create(4, PLACES / 2);
    double latitude, longitude;
    for (int i = 0; i < 60000; i++) {
        struct place *place = &world->places[random_below(&world->random, PLACES)];
        // As many come as go at first, then ever fewer.
        bool comes = !place->is_in && (i < 30000 || random_below(&world->random, 4) == 0);
        if (place->is_in)
            take(world, place);
        random_place(&world->random, &latitude, &longitude);
        if (comes)
            put(world, place, latitude, longitude);
        if (i % 100 == 0)
            check_random_searches(world, 2);
    }
    size_t count = 0;
    for (size_t i = 0; i < PLACES; i++)
        count += world->places[i].is_in;
    cr_assert_eq(world->geo.count, count);
    for (size_t i = 0; i < PLACES; i++)
        if (world->places[i].is_in)
            take(world, &world->places[i]);
    cr_assert_eq(world->geo.count, 0);
    cr_assert_eq(check_search(world, 0, 0, INFINITY), 0);
    world_destroy(world);
}

Test(geo_index, the_whole_world_is_within_half_a_circle)
{
    struct world *world = world_create(5, PLACES);
    cr_assert_eq(check_search(world, 12, 34, HALF_CIRCLE_KM), PLACES);
    cr_assert_eq(check_search(world, -90, 0, HALF_CIRCLE_KM), PLACES);
    cr_assert_eq(check_search(world, 0, 180, INFINITY), PLACES);
    world_destroy(world);
}

Test(geo_index, any_number_of_places_may_be_one_point)
{
    struct world *world = world_create(6, 0);
    for (size_t i = 0; i < PLACES; i++)
        put(world, &world->places[i], 48.5, 11.25);
    cr_assert_eq(check_search(world, 48.5, 11.25, 0), PLACES);
    cr_assert_eq(check_search(world, 48.5, 11.2500001, 0), 0);
    cr_assert_eq(check_search(world, 48.6, 11.25, 11.2), PLACES);
    for (size_t i = 0; i < PLACES; i += 2)
        take(world, &world->places[i]);
    take(world, &world->places[0]); // is not there any more: nothing happens
    cr_assert_eq(check_search(world, 48.5, 11.25, 0), PLACES / 2);
    world_destroy(world);
}

Test(geo_index, the_date_line_and_the_poles_are_no_walls)
{
    struct world *world = world_create(7, 0);
    static const double at[][2] = {{0, 180}, {0, -180},   {0, 179.9},  {0, -179.9}, {90, 0},
                                   {90, 77}, {89.9, 180}, {89.9, -90}, {-90, -180}, {-89.95, 10}};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
        put(world, &world->places[i], at[i][0], at[i][1]);
    cr_assert_eq(check_search(world, 0, 179.95, 20), 4);
    cr_assert_eq(check_search(world, 0, -179.95, 20), 4);
    cr_assert_eq(check_search(world, 89.9, 0, 22.3), 4);
    cr_assert_eq(check_search(world, -90, 90, 6), 2);
    world_destroy(world);
}

static double
count_visit(void *context, const void *value, double distance_km)
{
    size_t *count = context;
    (void)value;
    cr_assert_lt(distance_km, 1e-9);
    (*count)++;
    return INFINITY;
}

// 190 degrees east is 170 west, and 100 north lies 80 north on the other side.
Test(geo_index, a_point_off_the_map_is_the_one_that_it_wraps_to)
{
    static const double same[][2] = {{80, -170}, {80, 190}, {100, 10}, {-280, 550}};
    struct world *world = world_create(8, 0);
    put(world, &world->places[0], 80, -170);
    for (size_t i = 0; i < 4; i++) {
        size_t count = 0;
        geo_search_all(&world->geo, same[i][0], same[i][1], 1, count_visit, &count);
        cr_assert_eq(count, 1, "point %zu", i);
    }
    geo_search_all(&world->geo, 1e308, -1e308, 0, count_visit, &(size_t){0});
    world_destroy(world);
}

Test(geo_index, nothing_lies_within_a_negative_radius)
{
    struct world *world = world_create(9, PLACES);
    cr_assert_eq(check_search(world, 0, 0, -1), 0);
    cr_assert_eq(check_search(world, 0, 0, -INFINITY), 0);
    world_destroy(world);
}

struct nearest {
    double distance_km;
    size_t visits;
};

static double
visit_nearest(void *context, const void *value, double distance_km)
{
    struct nearest *nearest = context;
    (void)value;
    nearest->visits++;
    nearest->distance_km = fmin(nearest->distance_km, distance_km);
    return nearest->distance_km;
}

Test(geo_index, a_visitor_narrows_the_search)
{
    struct world *world = world_create(10, PLACES);
    for (int i = 0; i < 500; i++) {
        double latitude, longitude, expected_km = INFINITY;
        random_place(&world->random, &latitude, &longitude);
        for (size_t k = 0; k < PLACES; k++)
            expected_km = fmin(expected_km, geodesy_distance_km(world->places[k].latitude,
                                                                world->places[k].longitude,
                                                                latitude, longitude));
        struct nearest nearest = {INFINITY, 0};
        geo_search_all(&world->geo, latitude, longitude, INFINITY, visit_nearest, &nearest);
        cr_assert_eq(nearest.distance_km, expected_km);
        cr_assert_lt(nearest.visits, PLACES);
    }
    world_destroy(world);
}

Test(geo_index, many_at_once_take_at_most_29_bytes_each)
{
    enum { MANY = 100000 };
    struct random random = {12};
    struct geo_index geo = {0};
    struct geo_load load = {0};
    struct place *places = calloc(MANY, sizeof *places);
    for (size_t i = 0; i < MANY; i++) {
        random_place(&random, &places[i].latitude, &places[i].longitude);
        geo_load_add(&load, places[i].latitude, places[i].longitude, &places[i]);
    }
    geo_index_fill(&geo, &load, place_of);
    cr_assert_leq(geo_index_size(&geo), MANY * 29, "%zu", geo_index_size(&geo));
    geo_index_finish(&geo);
    free(places);
}

Test(geo_index, many_at_one_place_at_once_are_each_taken_out_again)
{
    enum { MANY = 1000 };
    struct geo_index geo = {0};
    struct geo_load load = {0};
    struct place *places = calloc(MANY, sizeof *places);
    for (size_t i = 0; i < MANY; i++)
        geo_load_add(&load, 0, 0, &places[i * 7 % MANY]);
    geo_index_fill(&geo, &load, place_of);
    for (size_t i = 0; i < MANY; i++) {
        geo_index_remove(&geo, 0, 0, &places[i]);
        cr_assert_eq(geo.count, MANY - 1 - i);
    }
    geo_index_finish(&geo);
    free(places);
}

Test(geo_index, takes_at_most_40_bytes_an_entry)
{
    enum { MANY = 100000 };
    struct geo_index geo = {0};
    struct random random = {11};
    double(*at)[2] = calloc(MANY, sizeof *at);
    for (size_t i = 0; i < MANY; i++) {
        at[i][0] = random_unit(&random) * 180 - 90;
        at[i][1] = random_unit(&random) * 360 - 180;
        geo_index_add(&geo, at[i][0], at[i][1], at[i]);
    }
    cr_assert_leq(geo_index_size(&geo), MANY * 40, "%zu", geo_index_size(&geo));
    for (size_t left = MANY; left > 1000; left--) {
        geo_index_remove(&geo, at[left - 1][0], at[left - 1][1], at[left - 1]);
        // Rows never shrink; blocks do.
        cr_assert_leq(geo_index_size(&geo) - geo.row_capacity * sizeof geo.rows[0], left * 66);
    }
    geo_index_finish(&geo);
    free(at);
}
