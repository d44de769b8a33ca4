// device_places.c - finds where on Earth devices are (device_places.h). A device that is not
// aligned stands nowhere, although answers of its scene show it at the origin.
#include "actors/scene/device/device_places.h"

#include "actors/scene/device/derived_pose.h"
#include "actors/scene/scene_place.h"
#include "actors/scene/scene_shard.h"
#include "proto/message/list_time.h"
#include "proto/records/geopose.h"
#include "proto/spatial/transform.h"

fallible
device_places_read(const struct message *message, struct device_places *ret_places)
{
    const struct params *params = message->params;
    struct list_time time;
    *ret_places = (struct device_places){.is_asked = params->placed};
    if (text_size(params->datetime)) // of devices no time is known
        TRY(list_time_read(params->datetime, &time));
    return params->placed ? list_area_read(params, &ret_places->area) : OK;
}

bool
device_places_enter(const struct device_places *self, const struct record *scene,
                    struct geo_frame *ret_frame)
{
    return !self->is_asked || scene_place_find(scene, ret_frame);
}

// Where the device stands in the scene: as it said itself, or as follows from another scene. NULL:
// that is not known.
static const struct pose *
find_pose(struct shard *shard, struct arena *arena, const struct caller *caller, uint64_t scene_id,
          const struct device *device)
{
    struct derived_pose derived;
    bool is_asked;
    const struct record *pose = device_rare_of(device)->transform;
    if (!record_has(&device->base, DEVICE_TRANSFORM))
        pose = derived_pose_find(shard, caller, scene_id, device->key, &derived, &is_asked)
                   ? pose_record(arena, &derived.pose)
                   : NULL;
    return (const struct pose *)(const void *)pose;
}

const struct record *
device_places_find(const struct device_places *self, struct shard *shard, struct arena *arena,
                   const struct caller *caller, const struct geo_frame *frame, uint64_t scene_id,
                   const struct device *device)
{
    double rotation[9];
    const struct pose *pose = find_pose(shard, arena, caller, scene_id, device);
    if (!pose)
        return NULL;
    rotation_of_device_euler(pose->rotation, rotation);
    const struct record *shown = scene_place_show(arena, frame, pose->translation, rotation);
    if (!shown)
        return NULL;
    const struct geopose *geopose = (const struct geopose *)(const void *)shown;
    const struct geopose_position *at = (const void *)geopose->position;
    return list_area_has(&self->area, at->lat, at->lon) ? shown : NULL;
}
