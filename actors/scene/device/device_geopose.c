// device_geopose.c - GeoPoses of devices, in answers (device_geopose.h).

#include "actors/scene/device/device_geopose.h"

#include "actors/scene/scene_place.h"
#include "proto/records/device.h"
#include "proto/spatial/transform.h"

fallible
device_geopose_check(const struct message *message, const struct record *scene)
{
    struct geo_frame frame;
    return params_want_geopose(message->params) ? scene_place_need(scene, "", &frame) : OK;
}

static void
show(struct arena *arena, const struct geo_frame *frame, struct device *device)
{
    const struct pose *pose = (const struct pose *)(const void *)device->rare->transform;
    double rotation[9];
    rotation_of_device_euler(pose->rotation, rotation);
    device->rare->geopose = scene_place_show(arena, frame, pose->translation, rotation);
    if (device->rare->geopose)
        record_mark(&device->base, DEVICE_GEOPOSE);
}

void
device_geoposes_show(struct message *message, struct scene *shown, size_t first)
{
    struct geo_frame frame;
    if (!params_want_geopose(message->params) || !scene_place_find(&shown->base, &frame))
        return;
    for (size_t i = first; i < shown->devices->count; i++)
        show(&message->arena, &frame, (struct device *)(void *)shown->devices->items[i]);
}
