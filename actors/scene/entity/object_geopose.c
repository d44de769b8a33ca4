// object_geopose.c - GeoPoses of objects, in and out (object_geopose.h).

#include "actors/scene/entity/object_geopose.h"

#include <math.h>

#include "actors/scene/scene_place.h"
#include "proto/record/path.h"
#include "proto/records/geopose.h"
#include "proto/records/object.h"
#include "proto/spatial/transform.h"

#define NORM_TOLERANCE 1e-3 // of a quaternion that is meant to be a unit

// --- in ---

static fallible
need_all(const struct record *record, const struct schema *schema, const struct path *path)
{
    for (uint32_t i = 0; i < schema->count; i++) {
        struct path member = {.up = path, .name = schema->fields[i].name};
        if (!record || !record_has(record, schema->fields[i].id))
            return path_fail(&member, ERR_MISSING, "is needed");
    }
    return OK;
}

// The quaternion as its sender has it, if it is nearly a unit.
static fallible
take_quaternion(const struct geopose_quaternion *quaternion, const struct path *path,
                double *ret_numbers)
{
    const double numbers[4] = {quaternion->x, quaternion->y, quaternion->z, quaternion->w};
    double norm = hypot(hypot(numbers[0], numbers[1]), hypot(numbers[2], numbers[3]));
    if (!(fabs(norm - 1) <= NORM_TOLERANCE))
        return path_fail(path, ERR_INVALID, "must be a unit quaternion; its norm is %.6g", norm);
    for (int i = 0; i < 4; i++)
        ret_numbers[i] = numbers[i] / norm;
    return OK;
}

static fallible
take_pose(const struct geopose *geopose, const struct path *path, struct geo_pose *ret_pose)
{
    struct path position = {.up = path, .name = "position"};
    struct path quaternion = {.up = path, .name = "quaternion"};
    TRY(need_all(geopose->position, &geopose_position_schema, &position));
    TRY(need_all(geopose->quaternion, &geopose_quaternion_schema, &quaternion));
    const struct geopose_position *at = (const void *)geopose->position;
    ret_pose->position =
        (struct geo_point){.latitude_deg = at->lat, .longitude_deg = at->lon, .height_m = at->h};
    return take_quaternion((const void *)geopose->quaternion, &quaternion, ret_pose->quaternion);
}

// The GeoPose says what a transform and the parts of one say, but for the scale.
static void
keep_scale(struct object_edit *edit)
{
    double translation[3], rotation[9];
    struct record *record = &edit->object.base;
    if (record_has(record, OBJECT_TRANSFORM) &&
        transform_decompose(edit->object.transform, translation, rotation, edit->input.scale))
        record_mark(record, INPUT_SCALE);
    record->present &= ~(FIELD_BIT(OBJECT_TRANSFORM) | FIELD_BIT(INPUT_EULER_ROTATION));
}

fallible
object_geopose_take(struct arena *arena, struct record *record, const char *at,
                    const struct record *scene)
{
    struct object_edit *edit = (struct object_edit *)(void *)record;
    struct geo_frame frame;
    struct geo_pose pose;
    if (record->schema != &object_edit_schema || !record_has(record, OBJECT_GEOPOSE))
        return OK;
    const char *pointer = text_chars(text_format(arena, "%s/geopose", at));
    struct path path = {.name = pointer};
    TRY(take_pose((const void *)edit->geopose, &path, &pose));
    TRY(scene_place_need(scene, pointer, &frame));
    keep_scale(edit);
    geo_frame_take(&frame, &pose, edit->input.translation, edit->input.quaternion_rotation);
    record_mark(record, INPUT_TRANSLATION);
    record_mark(record, INPUT_QUATERNION_ROTATION);
    return OK;
}

// --- out ---

bool
object_geopose_find(const struct geo_frame *frame, const struct record *object,
                    struct geo_pose *ret_pose)
{
    double translation[3], rotation[9], scale[3];
    return transform_decompose(object_of(object)->transform, translation, rotation, scale) &&
           geo_frame_show(frame, translation, rotation, ret_pose);
}

static fallible
show_in(struct message *message, const struct geo_frame *frame, const struct record *object,
        struct record **ret_shown)
{
    double translation[3], rotation[9], scale[3];
    if (!transform_decompose(object_of(object)->transform, translation, rotation, scale))
        return fail(ERR_INVALID, "",
                    "the object has no GeoPose: its transform is sheared, singular or not affine");
    struct record *geopose = scene_place_show(&message->arena, frame, translation, rotation);
    if (!geopose)
        return fail(ERR_INVALID, "", "the object has no GeoPose: it is too far away");
    struct object_edit *shown = (void *)record_new(&message->arena, &object_placed_schema);
    shown->object = *object_of(object);
    shown->object.base.schema = &object_placed_schema;
    shown->geopose = geopose;
    record_mark(&shown->object.base, OBJECT_GEOPOSE);
    *ret_shown = &shown->object.base;
    return OK;
}

fallible
object_geopose_show(struct message *message, const struct record *object,
                    const struct record *scene, struct record **ret_shown)
{
    struct geo_frame frame;
    TRY(scene_place_need(scene, "", &frame));
    return show_in(message, &frame, object, ret_shown);
}

void
object_geoposes_show(struct message *message, const struct record *scene)
{
    struct geo_frame frame;
    if (!scene_place_find(scene, &frame))
        return;
    for (uint32_t i = 0; i < message->reply.count; i++) {
        struct record *shown;
        const frozen_t *stored = reply_frozen(&message->reply, i);
        enum error error = show_in(message, &frame, frozen_record(stored), &shown);
        if (error == OK) {
            message->reply.records[i] = record_freeze(&object_placed_schema, shown);
            record_unref(&stored);
        }
        error_ignore(error, "it stays without a place");
    }
}
