// device_geopose.h - where the devices of a scene are on Earth (actors/scene/scene_place.h). Pure
// but for the message.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_GEOPOSE_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_GEOPOSE_H

#include "proto/message/message.h"
#include "proto/records/scene.h"

// Whether a request that asks for GeoPoses can have them: else ERR_INVALID. `scene` is the record
// of its scene (NULL = none).
fallible device_geopose_check(const struct message *message, const struct record *scene);

// Gives the devices of `shown`, the scene as it is answered, from the `first`-th on their GeoPoses,
// if the request asks for them and the scene has a place. Transforms are in the axes of scenes
// there.
void device_geoposes_show(struct message *message, struct scene *shown, size_t first);

#endif
