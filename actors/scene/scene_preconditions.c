// scene_preconditions.c - If-Match and If-None-Match of requests on scenes and on what is in them
// (preconditions.h). A lock is decided by its object, a registration by its scene.

#include "actors/scene/scene_preconditions.h"

#include "actors/runtime/preconditions.h"
#include "actors/runtime/record_set.h"
#include "actors/scene/device/device_set.h"
#include "actors/scene/device/device_view.h"
#include "actors/scene/scene_index.h"

fallible
preconditions_check_entity(const struct message *message, const struct entity_kind *kind,
                           const struct entity *entity)
{
    return preconditions_check(message, &entity->base, operation_rows[kind->get].reply);
}

fallible
preconditions_check_scene(struct shard *self, struct message *message, struct scene_state *scene)
{
    if (!preconditions_are_open(message))
        return OK;
    if (!scene)
        return preconditions_check_none(message);
    struct record_set devices = {0};
    devices_latest(self, scene, &devices);
    const struct scene *shown = scene_with_devices(
        self, message, frozen_record(scene_latest_record(self, scene)), &devices);
    enum error error = preconditions_check(message, &shown->base, operation_rows[SCENE_GET].reply);
    record_set_finish(&devices); // what is shown borrows from them
    return error;
}
