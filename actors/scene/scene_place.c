// scene_place.c - frames of scenes, and the records of GeoPoses (scene_place.h). Pure.

#include "actors/scene/scene_place.h"

#include "proto/records/geopose.h"

bool
scene_place_find(const struct record *record, struct geo_frame *ret_frame)
{
    const struct scene *scene = scene_of(record);
    if (!record || !record_has(record, SCENE_LATITUDE) || !record_has(record, SCENE_LONGITUDE))
        return false;
    const struct geo_point origin = {.latitude_deg = scene->latitude,
                                     .longitude_deg = scene->longitude,
                                     .height_m = scene->height_m};
    if (!geo_point_is_on_map(&origin))
        return false;
    geo_frame_init(ret_frame, &origin, scene->heading_deg);
    return true;
}

fallible
scene_place_need(const struct record *scene, const char *pointer, struct geo_frame *ret_frame)
{
    if (!scene_place_find(scene, ret_frame))
        return fail(ERR_INVALID, pointer,
                    "the scene has no place: a GeoPose needs its latitude and longitude");
    return OK;
}

static struct record *
position_new(struct arena *arena, const struct geo_point *point)
{
    struct record *record = record_new(arena, &geopose_position_schema);
    struct geopose_position *position = (struct geopose_position *)(void *)record;
    position->lat = point->latitude_deg;
    position->lon = point->longitude_deg;
    position->h = point->height_m;
    record->present = FIELD_BIT(GEOPOSE_LAT) | FIELD_BIT(GEOPOSE_LON) | FIELD_BIT(GEOPOSE_H);
    return record;
}

static struct record *
quaternion_new(struct arena *arena, const double *numbers)
{
    struct record *record = record_new(arena, &geopose_quaternion_schema);
    struct geopose_quaternion *quaternion = (struct geopose_quaternion *)(void *)record;
    quaternion->x = numbers[0];
    quaternion->y = numbers[1];
    quaternion->z = numbers[2];
    quaternion->w = numbers[3];
    record->present =
        FIELD_BIT(GEOPOSE_X) | FIELD_BIT(GEOPOSE_Y) | FIELD_BIT(GEOPOSE_Z) | FIELD_BIT(GEOPOSE_W);
    return record;
}

struct record *
scene_place_show(struct arena *arena, const struct geo_frame *frame, const double *translation,
                 const double *rotation)
{
    struct geo_pose pose;
    if (!geo_frame_show(frame, translation, rotation, &pose))
        return NULL;
    struct record *record = record_new(arena, &geopose_schema);
    struct geopose *geopose = (struct geopose *)(void *)record;
    geopose->position = position_new(arena, &pose.position);
    geopose->quaternion = quaternion_new(arena, pose.quaternion);
    record->present = FIELD_BIT(GEOPOSE_POSITION) | FIELD_BIT(GEOPOSE_QUATERNION);
    return record;
}
