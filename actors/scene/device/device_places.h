// device_places.h - where on Earth the devices of a list are, and which of them are wanted: those
// that are aligned to a scene with a place, and lie in the area that the request names. The scene
// actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_PLACES_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_PLACES_H

#include "proto/message/list_area.h"
#include "proto/message/message.h"
#include "proto/records/device.h"
#include "proto/spatial/geo_frame.h"

struct shard;

// Embedded; all zero: a list that asks for no places, and has all devices.
struct device_places {
    bool is_asked;
    struct list_area area;
};

// Reads what the request asks for. Fails with ERR_INVALID and the pointer of the parameter.
fallible device_places_read(const struct message *message, struct device_places *ret_places);

// Whether any device of a scene may be wanted; then `ret_frame` is the scene's, if places are asked
// for.
bool device_places_enter(const struct device_places *self, const struct record *scene,
                         struct geo_frame *ret_frame);

// The GeoPose of a device, in the arena; NULL if the device is not wanted.
const struct record *device_places_find(const struct device_places *self, struct shard *shard,
                                        struct arena *arena, const struct caller *caller,
                                        const struct geo_frame *frame, uint64_t scene_id,
                                        const struct device *device);

#endif
