// object_geopose.h - objects that are placed on Earth (actors/scene/scene_place.h): what a request
// says by a GeoPose becomes a translation and a rotation in the scene; an answer shows the GeoPose
// beside the transform. Nothing of it is stored. Pure but for the message.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_OBJECT_GEOPOSE_H
#define DIORAMA_ACTORS_SCENE_ENTITY_OBJECT_GEOPOSE_H

#include "proto/message/message.h"
#include "proto/spatial/geo_frame.h"

// Puts the GeoPose of an edit of an object, if it has one, in the place of its translation and
// rotation; of a transform only the scale stays. `scene` is the record of its scene (NULL = none),
// `at` the place of the edit in the body. Doing it again does no harm, nor does another record.
// Fails with ERR_MISSING and ERR_INVALID.
fallible object_geopose_take(struct arena *arena, struct record *record, const char *at,
                             const struct record *scene);

// Where on Earth the object is whose scene has this frame; false: its transform has no rotation, or
// it is too far away.
bool object_geopose_find(const struct geo_frame *frame, const struct record *object,
                         struct geo_pose *ret_pose);

// A loose copy of the object, which borrows from it, with its GeoPose (object_placed_schema). Fails
// with ERR_INVALID if its scene has no place, or its transform no rotation.
fallible object_geopose_show(struct message *message, const struct record *object,
                             const struct record *scene, struct record **ret_shown);

// Puts such copies in the place of the objects of an answer; those that have no GeoPose stay.
void object_geoposes_show(struct message *message, const struct record *scene);

#endif
