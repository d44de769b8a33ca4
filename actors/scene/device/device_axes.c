// device_axes.c - devices whose axes are not those of scenes (proto/spatial/convention.h). Scenes
// keep poses in their own axes: what a device sends is converted when it is staged, what it is
// answered when the answer is written.

#include "actors/scene/device/device_axes.h"

#include "actors/scene/scene_state.h"
#include "proto/spatial/convention.h"

fallible
device_check_convention(struct message *message, const struct device *request, const char *pointer)
{
    const struct convention *convention;
    const struct text *member = text_format(&message->arena, "%s/convention", pointer);
    return convention_find(device_rare_of(request)->convention, text_chars(member), &convention);
}

// That of a request by the device; NULL where the gateway has converted it already.
static const struct convention *
convention_of_request(const struct message *message, const struct device *request,
                      const struct record *stored)
{
    if (record_has(&message->params->base, PARAMS_CONVENTION))
        return NULL;
    if (text_size(device_rare_of(request)->convention))
        return convention_stored(device_rare_of(request)->convention);
    return stored ? convention_stored(device_rare_of(device_of(stored))->convention) : NULL;
}

void
device_settle_axes(struct message *message, const struct device *request, struct record *merged)
{
    const struct convention *convention = convention_of_request(message, request, merged);
    if (!convention || !record_has(&request->base, DEVICE_TRANSFORM))
        return;
    struct record *pose =
        record_copy(&message->arena, &pose_schema, device_rare_of(request)->transform);
    convention_apply(convention, CONVENTION_IN, pose);
    ((struct device *)(void *)merged)->rare->transform = pose;
}

const struct convention *
registration_convention(const struct message *message, const struct scene_state *scene)
{
    const struct scene *request = (const struct scene *)(void *)message->records->items[0];
    const struct device *device = device_of(request->devices->items[0]);
    struct opened room;
    const frozen_t *stored = record_set_find(&scene->devices, device->key);
    return convention_of_request(message, device, frozen_open(stored, &room));
}
