// geo_frame_test.c - points on WGS 84 and poses as GeoPoses, against the worked examples of EPSG
// guidance note 7-2 (4.1.1, 4.1.2) and the examples of the GeoPose standard (21-056r11; its data).
// tests/system/geopose_test.py asks PROJ.
#include "proto/spatial/geo_frame.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "proto/base/arena.h"
#include "proto/base/text.h"
#include "proto/spatial/convention.h"
#include "proto/spatial/transform.h"

#define SEMI_MAJOR 6378137.0
#define SEMI_MINOR 6356752.314245179
#define DEGREE (M_PI / 180)
#define MICROMETRE 1e-6
#define EXACT 1e-12 // of rotations
#define ROUNDS 2000

static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static uint64_t seed = 14;

// splitmix64, as a number in [low, high).
static double
any_number(double low, double high)
{
    uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0);
}

static void
assert_vector(const double *vector, double x, double y, double z, double allowed)
{
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        cr_expect_float_eq(vector[i], wanted[i], allowed, "[%d]: %.17g, not %.17g", i, vector[i],
                           wanted[i]);
}

static struct geo_frame
frame_at(double latitude, double longitude, double height, double heading)
{
    struct geo_frame frame;
    const struct geo_point origin = {latitude, longitude, height};
    geo_frame_init(&frame, &origin, heading);
    return frame;
}

static struct geo_pose
shown(const struct geo_frame *frame, double x, double y, double z, const double *rotation)
{
    struct geo_pose pose = {0};
    const double translation[3] = {x, y, z};
    cr_assert(geo_frame_show(frame, translation, rotation, &pose));
    return pose;
}

static double
distance(const struct geo_point *a, const struct geo_point *b)
{
    double p[3], q[3];
    geo_point_to_ecef(a, p);
    geo_point_to_ecef(b, q);
    return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
}

// --- points ---

Test(geo_frame, points_on_the_axes_of_the_ellipsoid)
{
    static const struct {
        struct geo_point point;
        double ecef[3];
    } rows[] = {
        {{0, 0, 0}, {SEMI_MAJOR, 0, 0}},
        {{0, 90, 10}, {0, SEMI_MAJOR + 10, 0}},
        {{0, 180, 0}, {-SEMI_MAJOR, 0, 0}},
        {{0, -180, -400}, {400 - SEMI_MAJOR, 0, 0}},
        {{90, 0, 9000}, {0, 0, SEMI_MINOR + 9000}},
        {{-90, 30, -400}, {0, 0, 400 - SEMI_MINOR}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double ecef[3];
        struct geo_point again;
        geo_point_to_ecef(&rows[i].point, ecef);
        assert_vector(ecef, rows[i].ecef[0], rows[i].ecef[1], rows[i].ecef[2], 1e-9);
        geo_point_of_ecef(ecef, &again);
        cr_expect_lt(distance(&again, &rows[i].point), 1e-8);
    }
}

Test(geo_frame, point_of_the_guidance_note_on_geocentric_conversions)
{
    const struct geo_point wanted = {53 + 48 / 60.0 + 33.820 / 3600, 2 + 7 / 60.0 + 46.380 / 3600,
                                     73};
    double ecef[3];
    struct geo_point point;
    geo_point_to_ecef(&wanted, ecef);
    assert_vector(ecef, 3771793.968, 140253.342, 5124304.349, 0.0006); // as it rounds them
    geo_point_of_ecef(ecef, &point);
    cr_expect_float_eq(point.latitude_deg, wanted.latitude_deg, 1e-13);
    cr_expect_float_eq(point.longitude_deg, wanted.longitude_deg, 1e-13);
    cr_expect_float_eq(point.height_m, 73, 1e-8);
}

Test(geo_frame, points_come_back_from_all_heights)
{
    for (int i = 0; i < ROUNDS; i++) {
        const struct geo_point point = {any_number(-90, 90), any_number(-180, 180),
                                        any_number(-1e5, i % 2 ? 1e7 : 1e4)};
        double ecef[3];
        struct geo_point again;
        geo_point_to_ecef(&point, ecef);
        geo_point_of_ecef(ecef, &again);
        cr_expect_lt(distance(&again, &point), 1e-7, "%.17g %.17g %.17g", point.latitude_deg,
                     point.longitude_deg, point.height_m);
    }
}

Test(geo_frame, place_on_the_map_has_finite_numbers_in_range)
{
    cr_expect(geo_point_is_on_map(&(struct geo_point){-90, 180, -400}));
    cr_expect_not(geo_point_is_on_map(&(struct geo_point){90.0000001, 0, 0}));
    cr_expect_not(geo_point_is_on_map(&(struct geo_point){0, -180.0000001, 0}));
    cr_expect_not(geo_point_is_on_map(&(struct geo_point){(double)NAN, 0, 0}));
    cr_expect_not(geo_point_is_on_map(&(struct geo_point){0, 0, (double)INFINITY}));
}

// --- frames ---

// The example of topocentric conversions: U, V, W are east, north and up.
Test(geo_frame, offset_of_the_guidance_note_on_topocentric_conversions)
{
    const struct geo_frame frame = frame_at(55, 5, 200, 0);
    const struct geo_pose there = {
        {53 + 48 / 60.0 + 33.820 / 3600, 2 + 7 / 60.0 + 46.380 / 3600, 73}, {0, 0, 0, 1}};
    double translation[3], quaternion[4], rotation[9];
    geo_frame_take(&frame, &there, translation, quaternion);
    assert_vector(translation, -189013.869, -4220.171, 128642.040, 0.0006); // x, y = up, z = south
    rotation_of_quaternion(quaternion, rotation);
    const struct geo_pose again =
        shown(&frame, translation[0], translation[1], translation[2], rotation);
    cr_expect_lt(distance(&again.position, &there.position), MICROMETRE);
}

Test(geo_frame, what_stands_at_the_origin_without_a_turn_has_the_identity)
{
    static const double places[][3] = {
        {47.7, -122.3, 11.5}, {90, 30, 0}, {-90, -45, 2800}, {0, 180, -400}, {0, -180, 0}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct geo_frame frame = frame_at(places[i][0], places[i][1], places[i][2], 0);
        const struct geo_pose pose = shown(&frame, 0, 0, 0, upright);
        cr_expect_eq(pose.position.latitude_deg, places[i][0]);
        cr_expect_eq(pose.position.longitude_deg, places[i][1]);
        cr_expect_eq(pose.position.height_m, places[i][2]);
        cr_expect(pose.quaternion[0] == 0 && pose.quaternion[1] == 0 && pose.quaternion[2] == 0 &&
                  pose.quaternion[3] == 1);
    }
}

// With its -Z to the east, what is one metre ahead is in the east, and the body is turned to the
// right: clockwise, so about the downward axis.
Test(geo_frame, heading_is_clockwise_from_north)
{
    const struct geo_frame frame = frame_at(10, 20, 0, 90);
    const struct geo_frame level = frame_at(10, 20, 0, 0);
    const struct geo_pose ahead = shown(&frame, 0, 0, -1000, upright);
    const struct geo_pose east = shown(&level, 1000, 0, 0, upright);
    cr_expect_lt(distance(&ahead.position, &east.position), 1e-8);
    const struct geo_pose here = shown(&frame, 0, 0, 0, upright);
    assert_vector(here.quaternion, 0, 0, -sqrt(0.5), EXACT);
    cr_expect_float_eq(here.quaternion[3], sqrt(0.5), EXACT);
    const struct geo_pose up = shown(&frame, 0, 7, 0, upright);
    cr_expect_eq(up.position.height_m, 7);
    cr_expect_eq(up.position.latitude_deg, 10);
}

// A quarter of the Earth is not flat: 100 km to the north, up has turned by nearly 0.9 degrees.
Test(geo_frame, frame_is_that_of_the_objects_own_place)
{
    const struct geo_frame frame = frame_at(0, 0, 0, 0);
    const struct geo_pose east = shown(&frame, 100000, 0, 0, upright);
    double angle = atan2(100000, SEMI_MAJOR); // on the equator the horizon is that of a circle
    cr_expect_float_eq(east.position.longitude_deg, angle / DEGREE, EXACT);
    cr_expect_float_eq(east.position.height_m, hypot(100000, SEMI_MAJOR) - SEMI_MAJOR, 1e-8);
    // Its own upright is the origin's, so it leans back to the west: it turns about north.
    assert_vector(east.quaternion, 0, -sin(angle / 2), 0, EXACT);
    cr_expect_float_eq(east.quaternion[3], cos(angle / 2), EXACT);
}

Test(geo_frame, axes_of_the_body_are_those_of_enu)
{
    static const double turned[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0}; // to the left, about Y
    static const double rolled[9] = {0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1};
    struct arena arena = {0};
    const struct convention *enu;
    cr_assert_eq(convention_find(text_from(&arena, "enu"), "", &enu), OK);
    const double *rotations[] = {turned, rolled, upright};
    for (size_t i = 0; i < 3; i++) {
        const struct geo_frame frame = frame_at(47, 8, 400, 0);
        const struct geo_pose pose = shown(&frame, 0, 0, 0, rotations[i]);
        double quaternion[4];
        quaternion_of_rotation(rotations[i], quaternion);
        convention_turn(enu, CONVENTION_OUT, AXES_QUATERNION, quaternion);
        assert_vector(pose.quaternion, quaternion[1], quaternion[2], quaternion[3], EXACT);
        cr_expect_float_eq(pose.quaternion[3], quaternion[0], EXACT);
    }
    arena_finish(&arena);
}

// --- there and back ---

static void
assert_same_rotation(const double *a, const double *b, double allowed)
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(a[i], dot < 0 ? -b[i] : b[i], allowed, "[%d]", i);
}

// The examples of a Basic-Quaternion in the standard and in its data.
Test(geo_frame, examples_of_the_standard_come_back)
{
    static const double examples[][4] = {
        {0.20056154657066608, -0.08111602541464237, 0.36606032744426537, -0.9050939692261301},
        {-0.17231894920559634, 0.26775440295008673, 0.7971382399657011, -0.513014995716408},
        {0.20381979691526322, -0.08094272137456884, 0.36010427367688924, -0.9067693633562726},
    };
    static const double scenes[][4] = {
        {47.7, -122.3, 11.5, 0}, {47.7, -122.3, 0, 123}, {47.6, -122.2, 60, -30}};
    for (size_t i = 0; i < 9; i++) {
        const double *scene = scenes[i / 3], *example = examples[i % 3];
        const struct geo_frame frame = frame_at(scene[0], scene[1], scene[2], scene[3]);
        struct geo_pose pose = {.position = {47.7, -122.3, 11.5}};
        double translation[3], quaternion[4], rotation[9];
        memcpy(pose.quaternion, example, sizeof pose.quaternion);
        geo_frame_take(&frame, &pose, translation, quaternion);
        rotation_of_quaternion(quaternion, rotation);
        const struct geo_pose again =
            shown(&frame, translation[0], translation[1], translation[2], rotation);
        cr_expect_float_eq(again.position.latitude_deg, 47.7, 1e-13);
        cr_expect_float_eq(again.position.longitude_deg, -122.3, 1e-13);
        cr_expect_float_eq(again.position.height_m, 11.5, 1e-8);
        assert_same_rotation(again.quaternion, example, EXACT);
    }
}

Test(geo_frame, poses_come_back_from_everywhere)
{
    static const double latitudes[] = {90, -90, 89.9999999, 0, -45, 60};
    static const double longitudes[] = {180, -180, 179.9999999, 0, 30, -122};
    for (int i = 0; i < ROUNDS; i++) {
        const struct geo_frame frame = frame_at(latitudes[i % 6], longitudes[i / 6 % 6],
                                                any_number(-400, 9000), any_number(-360, 360));
        double reach = i % 3 ? 100000 : 10;
        const double euler[3] = {any_number(-3, 3), any_number(-3, 3), any_number(-3, 3)};
        double from[3], to[3], rotation[9], quaternion[4], again[4];
        for (int k = 0; k < 3; k++)
            from[k] = any_number(-reach, reach);
        rotation_of_device_euler(euler, rotation);
        quaternion_of_rotation(rotation, quaternion);
        const struct geo_pose pose = shown(&frame, from[0], from[1], from[2], rotation);
        geo_frame_take(&frame, &pose, to, again);
        assert_vector(to, from[0], from[1], from[2], 2e-8);
        assert_same_rotation(again, quaternion, EXACT);
    }
}

Test(geo_frame, pose_beyond_all_numbers_is_none)
{
    const struct geo_frame frame = frame_at(1, 2, 3, 4);
    const double far[3] = {DBL_MAX, DBL_MAX, DBL_MAX};
    struct geo_pose pose = {.position = {.height_m = 5}};
    cr_expect_not(geo_frame_show(&frame, far, upright, &pose));
    cr_expect_eq(pose.position.height_m, 5);
}
