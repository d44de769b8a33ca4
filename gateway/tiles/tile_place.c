// tile_place.c - where the axes of a tileset stand (tile_place.h). Pure; any thread.
#include "gateway/tiles/tile_place.h"

#include "gateway/request/scene_layout.h"
#include "proto/records/device.h"
#include "proto/records/scene.h"
#include "proto/spatial/matrix3.h"
#include "proto/spatial/transform.h"

// From the axes of `enu` to those of scenes (convention.c): Y is up, and north is -Z.
static const double enu_to_axes[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};

static fallible
find_frame(const struct record *scene, struct geo_frame *ret_frame)
{
    if (!scene_frame(scene_of(scene), ret_frame))
        return fail(ERR_INVALID, "/latitude",
                    "the scene %s has no place: a tileset needs its latitude and longitude, or "
                    "frame=local",
                    text_chars(record_key(scene)));
    return OK;
}

// Writes rotation and translation as the columns of a matrix.
static void
put_columns(const double *rotation, const double *translation, double *ret_transform)
{
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++)
            ret_transform[column * 4 + row] = rotation[row * 3 + column];
    for (int row = 0; row < 3; row++)
        ret_transform[12 + row] = translation[row];
    ret_transform[3] = ret_transform[7] = ret_transform[11] = 0;
    ret_transform[15] = 1;
}

// On Earth, by a pose (NULL = none) from the scene to one that has this frame.
static void
settle(const struct geo_frame *frame, const struct pose *pose, struct tile_place *place)
{
    double rotation[9], at[3] = {0}, turn[9];
    geo_frame_rotation(frame, rotation);
    if (pose) {
        matrix3_rotate(rotation, pose->translation, at);
        rotation_of_device_euler(pose->rotation, turn);
        matrix3_multiply(rotation, turn, rotation);
    }
    matrix3_multiply(rotation, enu_to_axes, rotation);
    for (int i = 0; i < 3; i++)
        at[i] += frame->ecef[i];
    put_columns(rotation, at, place->transform);
    place->is_on_earth = true;
}

static fallible
find_by_relation(const struct message *message, struct tile_place *place)
{
    struct geo_frame frame;
    const struct relation_record *relation =
        (const struct relation_record *)(const void *)reply_record(&message->reply, 2);
    TRY(find_frame(reply_record(&message->reply, 1), &frame));
    if (text_is(relation->status, "none") || !relation->transform)
        return fail(ERR_CONFLICT, "", "no alignment connects the scene with %s",
                    text_chars(message->params->placed_in));
    place->relation = relation;
    settle(&frame, (const struct pose *)(const void *)relation->transform, place);
    return OK;
}

fallible
tile_place_find(const struct message *message, struct tile_place *ret_place)
{
    struct geo_frame frame;
    const struct params *params = message->params;
    *ret_place = (struct tile_place){.is_on_earth = false};
    if (scene_layout_is_placed(params))
        return find_by_relation(message, ret_place);
    if (text_size(params->node) || text_size(params->placed_in))
        return OK; // a part stands in its whole
    TRY(find_frame(reply_record(&message->reply, 0), &frame));
    settle(&frame, NULL, ret_place);
    return OK;
}
