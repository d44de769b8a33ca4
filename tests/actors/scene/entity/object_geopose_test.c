// object_geopose_test.c - what a GeoPose of a request becomes, and what an answer shows. The whole
// way through the server: tests/system/geopose_test.py.
#include "actors/scene/entity/object_geopose.h"

#include <criterion/criterion.h>
#include <math.h>

#include "proto/records/geopose.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "proto/spatial/transform.h"

static struct message *message;
static struct scene *scene;
static struct object_edit *edit;
static struct geopose_position *position;
static struct geopose_quaternion *quaternion;

// An update by the identity, 10 m above its scene.
static void
begin(void)
{
    message = message_create(OBJECT_UPDATE);
    struct arena *arena = &message->arena;
    scene = (void *)record_new(arena, &scene_schema);
    scene->latitude = 10;
    scene->longitude = 20;
    scene->base.present = FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE);
    position = (void *)record_new(arena, &geopose_position_schema);
    position->lat = 10;
    position->lon = 20;
    position->h = 10;
    position->base.present = FIELD_BIT(GEOPOSE_LAT) | FIELD_BIT(GEOPOSE_LON) | FIELD_BIT(GEOPOSE_H);
    quaternion = (void *)record_new(arena, &geopose_quaternion_schema);
    quaternion->w = 1;
    quaternion->base.present =
        FIELD_BIT(GEOPOSE_X) | FIELD_BIT(GEOPOSE_Y) | FIELD_BIT(GEOPOSE_Z) | FIELD_BIT(GEOPOSE_W);
    struct geopose *geopose = (void *)record_new(arena, &geopose_schema);
    geopose->position = &position->base;
    geopose->quaternion = &quaternion->base;
    geopose->base.present = FIELD_BIT(GEOPOSE_POSITION) | FIELD_BIT(GEOPOSE_QUATERNION);
    edit = (void *)record_new(arena, &object_edit_schema);
    edit->geopose = &geopose->base;
    record_mark(&edit->object.base, OBJECT_GEOPOSE);
}

static void
finish(void)
{
    message_destroy(&message);
}

TestSuite(object_geopose, .init = begin, .fini = finish);

static void
assert_refused(enum error wanted, const char *pointer)
{
    struct fault fault;
    cr_assert_eq(object_geopose_take(&message->arena, &edit->object.base, "", &scene->base),
                 wanted);
    fault_take(wanted, &fault);
    cr_expect_str_eq(fault.pointer, pointer);
    cr_expect_not(record_has(&edit->object.base, INPUT_TRANSLATION));
}

Test(object_geopose, becomes_a_translation_and_a_rotation)
{
    cr_assert_eq(object_geopose_take(&message->arena, &edit->object.base, "", &scene->base), OK);
    cr_expect(record_has(&edit->object.base, INPUT_TRANSLATION));
    cr_expect(record_has(&edit->object.base, INPUT_QUATERNION_ROTATION));
    const double *at = edit->input.translation;
    cr_expect(at[0] == 0 && at[1] == 10 && at[2] == 0);
    cr_expect_float_eq(edit->input.quaternion_rotation[0], 1, 1e-15);
}

Test(object_geopose, takes_the_place_of_other_parts_and_leaves_the_scale_of_a_transform)
{
    const struct transform_parts parts = {.translation = (const double[]){1, 2, 3},
                                          .scale = (const double[]){2, 3, 4}};
    transform_compose(&parts, NULL, edit->object.transform);
    record_mark(&edit->object.base, OBJECT_TRANSFORM);
    record_mark(&edit->object.base, INPUT_EULER_ROTATION);
    for (int again = 0; again < 2; again++) { // a request may run again
        cr_assert_eq(object_geopose_take(&message->arena, &edit->object.base, "", &scene->base),
                     OK);
        cr_expect_not(record_has(&edit->object.base, OBJECT_TRANSFORM));
        cr_expect_not(record_has(&edit->object.base, INPUT_EULER_ROTATION));
        cr_expect(record_has(&edit->object.base, INPUT_SCALE));
        cr_expect_float_eq(edit->input.scale[2], 4, 1e-15);
        cr_expect_eq(edit->input.translation[1], 10);
    }
}

Test(object_geopose, quaternion_is_normalised_within_a_thousandth)
{
    quaternion->w = 1.0009;
    cr_assert_eq(object_geopose_take(&message->arena, &edit->object.base, "", &scene->base), OK);
    cr_expect_float_eq(edit->input.quaternion_rotation[0], 1, 1e-15);
    edit->object.base.present &= ~FIELD_BIT(INPUT_TRANSLATION);
    quaternion->w = 0.9989;
    assert_refused(ERR_INVALID, "/geopose/quaternion");
    quaternion->w = (double)NAN;
    assert_refused(ERR_INVALID, "/geopose/quaternion");
}

Test(object_geopose, all_its_numbers_are_needed)
{
    position->base.present &= ~FIELD_BIT(GEOPOSE_LON);
    assert_refused(ERR_MISSING, "/geopose/position/lon");
}

Test(object_geopose, needs_the_place_of_the_scene)
{
    scene->latitude = 99;
    assert_refused(ERR_INVALID, "/geopose");
}

Test(object_geopose, object_without_one_is_left_alone)
{
    edit->object.base.present = 0;
    cr_expect_eq(object_geopose_take(&message->arena, &edit->object.base, "", NULL), OK);
    cr_expect_eq(edit->object.base.present, 0);
}

Test(object_geopose, is_shown_beside_what_the_object_has)
{
    struct record *shown;
    struct object *object = (void *)record_new(&message->arena, &object_schema);
    transform_identity(object->transform);
    object->transform[7] = 10;
    record_mark(&object->base, OBJECT_TRANSFORM);
    cr_assert_eq(object_geopose_show(message, &object->base, &scene->base, &shown), OK);
    const struct geopose *geopose = (const void *)((struct object_edit *)(void *)shown)->geopose;
    cr_expect_eq(((const struct geopose_position *)(const void *)geopose->position)->h, 10);
    cr_expect_eq(object_of(shown)->transform[7], 10);
    cr_expect_not(record_has(&object->base, OBJECT_GEOPOSE));
}

Test(object_geopose, object_without_a_rotation_has_none)
{
    struct record *shown;
    const struct record *flat = record_new(&message->arena, &object_schema);
    cr_expect_eq(object_geopose_show(message, flat, &scene->base, &shown), ERR_INVALID);
    cr_expect_eq(object_geopose_show(message, flat, NULL, &shown), ERR_INVALID);
}

// An object of the answer.
static void
answer_with(double turn)
{
    struct object *object = (void *)record_new(&message->arena, &object_schema);
    transform_identity(object->transform);
    object->transform[0] = turn;
    record_mark(&object->base, OBJECT_TRANSFORM);
    reply_add_loose(message, &object_schema, &object->base);
}

Test(object_geopose, of_many_objects_those_have_one_that_can)
{
    answer_with(1);
    answer_with(0); // no rotation
    answer_with(2);
    object_geoposes_show(message, &scene->base);
    cr_assert_eq(reply_record(&message->reply, 0)->schema, &object_placed_schema);
    cr_assert_eq(reply_record(&message->reply, 1)->schema, &object_schema);
    cr_assert_eq(reply_record(&message->reply, 2)->schema, &object_placed_schema);
}

Test(object_geopose, in_a_scene_without_a_place_none_has_one)
{
    scene->base.present = 0;
    answer_with(1);
    object_geoposes_show(message, &scene->base);
    cr_assert_eq(reply_record(&message->reply, 0)->schema, &object_schema);
}

Test(object_geopose, finds_where_an_object_is_that_has_a_rotation)
{
    struct geo_frame frame;
    struct geo_pose pose;
    const struct geo_point origin = {.latitude_deg = 10, .longitude_deg = 20, .height_m = 5};
    geo_frame_init(&frame, &origin, 0);
    answer_with(1);
    answer_with(0); // no rotation
    cr_assert(object_geopose_find(&frame, reply_record(&message->reply, 0), &pose));
    cr_assert_float_eq(10, pose.position.latitude_deg, 1e-12);
    cr_assert_float_eq(5, pose.position.height_m, 1e-6);
    cr_assert_not(object_geopose_find(&frame, reply_record(&message->reply, 1), &pose));
}
