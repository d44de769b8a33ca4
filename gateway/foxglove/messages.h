// messages.h - what stands in the messages of channels: transforms, entities, places, lines of a
// log, values (JSON, as schemas.h describes it). Poses are in the axes of `enu`, which are those of
// Foxglove. Pure.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_MESSAGES_H
#define DIORAMA_GATEWAY_FOXGLOVE_MESSAGES_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"

// A frame: that of a scene, or of a thing in it.
struct frame {
    const struct text *scene;
    const struct text *thing; // NULL: the scene's own
    bool is_device;           // whose key an object may have too
};

// Appends an item of `transforms`, with a comma before it unless it is the first in its brackets.
// A matrix that is no pose keeps its translation alone.
void message_put_transform(uint64_t time_us, const struct text *parent, const struct frame *child,
                           const double *matrix, struct buffer *out);

// The matrix of a struct pose, in the axes of scenes; the identity of NULL.
void message_pose_matrix(const struct record *pose, double *ret_matrix);

// Whether the object is drawn.
bool message_is_visible(const struct object *object);

// What is drawn of an object beside its pose, in a number: another one, another picture.
uint64_t message_looks(const struct object *object);

// Appends an item of `entities`: the first asset as a model, which is read from
// `<assets>/v1/asset/`, or a cube where there is none, and the name.
void message_put_entity(uint64_t time_us, const struct text *scene, const struct object *object,
                        const struct text *assets, struct buffer *out);

// Appends an item of `deletions`; of all entities if `key` is NULL.
void message_put_deletion(uint64_t time_us, const struct text *key, struct buffer *out);

// Appends a whole LocationFix of a scene that is on the map.
void message_put_location(uint64_t time_us, const struct scene *scene, struct buffer *out);

// Appends a whole Log.
void message_put_log(uint64_t time_us, const char *words, size_t size, const struct text *scene,
                     struct buffer *out);

// Appends a whole message of a property.
void message_put_property(uint64_t time_us, const struct property *property, struct buffer *out);

#endif
