// scene_place.h - the place of a scene on Earth, and poses in it as GeoPoses
// (proto/spatial/geo_frame.h). A scene has a place if its latitude and longitude are on the map.
// Pure.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_PLACE_H
#define DIORAMA_ACTORS_SCENE_SCENE_PLACE_H

#include "proto/base/error.h"
#include "proto/records/scene.h"
#include "proto/spatial/geo_frame.h"

// False if the scene (NULL: there is none) has no place.
bool scene_place_find(const struct record *scene, struct geo_frame *ret_frame);
// The same; fails with ERR_INVALID at `pointer`.
fallible scene_place_need(const struct record *scene, const char *pointer,
                          struct geo_frame *ret_frame);

// The GeoPose of a body that stands there in the scene (rotation: 3x3, row-major); NULL if it is
// too far away to have one.
struct record *scene_place_show(struct arena *arena, const struct geo_frame *frame,
                                const double *translation, const double *rotation);

#endif
