// czml_packet.h - one packet of CZML: an object, a property or a device of a scene, as an entity of
// CesiumJS. Pure.
#ifndef DIORAMA_GATEWAY_EVENTS_CZML_PACKET_H
#define DIORAMA_GATEWAY_EVENTS_CZML_PACKET_H

#include "gateway/events/czml_form.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

// Where an object is and what it shows: `name` of its file, NULL = nothing that is a model.
void czml_packet_put_object(const struct czml_form *form, const struct object *object,
                            const char *name, struct buffer *out);

// The number of a property, at its object or at the scene; returns false, having written nothing,
// if it has another count of values, or a name that CesiumJS has for itself.
bool czml_packet_put_property(const struct property *property, bool is_deleted, struct buffer *out);

// A device whose coordinates are at a place (struct pose) of the scene.
void czml_packet_put_device(const struct czml_form *form, const struct text *key,
                            const struct record *pose, struct buffer *out);

// The end of an entity; `kind` is the beginning of its id.
void czml_packet_put_end(const char *kind, const struct text *key, struct buffer *out);

#endif
