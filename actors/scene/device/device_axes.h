// device_axes.h - devices whose axes are not those of scenes (proto/spatial/convention.h). NULL
// stands for the axes of scenes.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_AXES_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_AXES_H

#include "proto/message/message.h"
#include "proto/records/device.h"

struct convention;
struct scene_state;

// Fails with ERR_INVALID where the device, at `pointer`, names axes that there are not.
fallible device_check_convention(struct message *message, const struct device *request,
                                 const char *pointer);
// The transform that the request has becomes that of `merged`, the device as it will be, in the
// axes of scenes.
void device_settle_axes(struct message *message, const struct device *request,
                        struct record *merged);
// The axes that register, align and deregister are answered in: those of their first device.
const struct convention *registration_convention(const struct message *message,
                                                 const struct scene_state *scene);

#endif
