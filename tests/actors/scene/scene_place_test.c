// scene_place_test.c - which scenes have a place on Earth, and the record of a GeoPose.
#include "actors/scene/scene_place.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "proto/records/geopose.h"

static const double nowhere[3] = {0, 0, 0};
static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(scene_place, .fini = finish);

static struct scene *
scene_at(double latitude, double longitude)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    scene->latitude = latitude;
    scene->longitude = longitude;
    record_mark(&scene->base, SCENE_LATITUDE);
    record_mark(&scene->base, SCENE_LONGITUDE);
    return scene;
}

Test(scene_place, scene_has_one_if_its_point_is_on_the_map)
{
    struct geo_frame frame;
    struct scene *half = scene_at(1, 2);
    half->base.present &= ~FIELD_BIT(SCENE_LONGITUDE);
    cr_expect(scene_place_find(&scene_at(-90, 180)->base, &frame));
    cr_expect_not(scene_place_find(&scene_at(100, 0)->base, &frame));
    cr_expect_not(scene_place_find(&scene_at(0, 181)->base, &frame));
    cr_expect_not(scene_place_find(&half->base, &frame));
    cr_expect_not(scene_place_find(NULL, &frame));
}

Test(scene_place, scene_without_one_is_refused_where_the_request_asks)
{
    struct geo_frame frame;
    struct fault fault;
    cr_assert_eq(scene_place_need(NULL, "/objects/0/geopose", &frame), ERR_INVALID);
    fault_take(ERR_INVALID, &fault);
    cr_expect_str_eq(fault.pointer, "/objects/0/geopose");
    cr_expect_eq(scene_place_need(&scene_at(1, 2)->base, "", &frame), OK);
}

Test(scene_place, geopose_has_all_members_and_knows_height_and_heading)
{
    struct geo_frame frame;
    struct scene *scene = scene_at(47.7, -122.3);
    scene->height_m = 11.5;
    scene->heading_deg = 180;
    cr_assert(scene_place_find(&scene->base, &frame));
    const struct record *record = scene_place_show(&arena, &frame, nowhere, upright);
    const struct geopose *geopose = (const void *)record;
    const struct geopose_position *position = (const void *)geopose->position;
    const struct geopose_quaternion *quaternion = (const void *)geopose->quaternion;
    for (unsigned id = GEOPOSE_LAT; id <= GEOPOSE_H; id++)
        cr_expect(record_has(&position->base, id));
    for (unsigned id = GEOPOSE_X; id <= GEOPOSE_W; id++)
        cr_expect(record_has(&quaternion->base, id));
    cr_expect(position->lat == 47.7 && position->lon == -122.3 && position->h == 11.5);
    cr_expect(quaternion->x == 0 && quaternion->y == 0 && quaternion->w == 0);
    cr_expect_float_eq(fabs(quaternion->z), 1, 1e-15);
}

Test(scene_place, body_beyond_all_numbers_has_none)
{
    struct geo_frame frame;
    const double far[3] = {DBL_MAX, DBL_MAX, DBL_MAX};
    cr_assert(scene_place_find(&scene_at(1, 2)->base, &frame));
    cr_expect_null(scene_place_show(&arena, &frame, far, upright));
}
