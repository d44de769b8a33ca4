// device_axes.c - devices whose axes are not those of scenes (proto/convention.h). Scenes keep
// poses and objects in their own axes: what a device sends is converted as it is staged or applied,
// what it is answered when it is written.

#include "actors/scene/scene_shard.h"
#include "proto/spatial/convention.h"
#include "proto/records/device.h"

static const struct device *
as_device(const struct record *record)
{
    return (const struct device *)(const void *)record;
}

// Names were checked when they came; an unknown one is of a version to come, or of none.
const struct convention *
device_convention(const struct record *device)
{
    const struct convention *convention = NULL;
    if (device)
        error_ignore(convention_find(as_device(device)->convention, "", &convention),
                     "the axes of scenes stand in");
    return convention;
}

fallible
device_check_convention(struct message *message, const struct device *request, const char *pointer)
{
    const struct convention *convention;
    const struct text *member = text_format(&message->arena, "%s/convention", pointer);
    return convention_find(request->convention, text_chars(member), &convention);
}

// That of a request by the device; NULL where the gateway has converted it already.
static const struct convention *
convention_of_request(const struct message *message, const struct device *request,
                      const struct record *stored)
{
    if (record_has(&message->params->base, PARAMS_CONVENTION))
        return NULL;
    return device_convention(text_size(request->convention) ? &request->base : stored);
}

void
device_settle_axes(struct message *message, const struct device *request, struct record *merged)
{
    const struct convention *convention = convention_of_request(message, request, merged);
    if (!convention || !record_has(&request->base, DEVICE_TRANSFORM))
        return;
    struct record *pose = record_copy(&message->arena, &pose_schema, request->transform);
    convention_apply(convention, CONVENTION_IN, pose);
    ((struct device *)(void *)merged)->transform = pose;
}

const struct convention *
registration_convention(const struct message *message, const struct scene_state *scene)
{
    const struct scene *request = (const struct scene *)(void *)message->records->items[0];
    const struct device *device = as_device(request->devices->items[0]);
    return convention_of_request(message, device, record_set_find(&scene->devices, device->key));
}

const struct record *
edit_settle_axes(struct arena *arena, const struct record *edit, const struct record *sender)
{
    const struct convention *convention = device_convention(sender);
    if (!convention || !convention_concerns(edit->schema))
        return edit;
    struct record *settled = record_copy(arena, edit->schema, edit);
    convention_apply(convention, CONVENTION_IN, settled);
    return settled;
}
