// schemas.h - the JSON schemas of what channels carry. Messages of Foxglove have its names, so its
// viewers know what to draw; their shapes are written here in a short notation. Pure.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_SCHEMAS_H
#define DIORAMA_GATEWAY_FOXGLOVE_SCHEMAS_H

#include "proto/base/buffer.h"

enum message_kind {
    MESSAGE_TRANSFORMS, // foxglove.FrameTransforms
    MESSAGE_SCENE,      // foxglove.SceneUpdate
    MESSAGE_LOCATION,   // foxglove.LocationFix
    MESSAGE_LOG,        // foxglove.Log
    MESSAGE_PROPERTY,   // of our own: {"value":…,"values":[…]}
    MESSAGE_KINDS
};

const char *schema_name(enum message_kind kind);

// Appends the schema as JSON.
void schema_put(enum message_kind kind, struct buffer *out);

#endif
