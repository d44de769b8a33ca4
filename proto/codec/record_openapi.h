// record_openapi.h - a field table as JSON Schema (2020-12), in the form of OpenAPI 3.1: what a
// request may contain, and what an answer contains.
#ifndef DIORAMA_PROTO_CODEC_RECORD_OPENAPI_H
#define DIORAMA_PROTO_CODEC_RECORD_OPENAPI_H

#include "proto/base/buffer.h"
#include "proto/record/schema.h"

// A NULL view means a request.

// What the schema of a value contains beside its type.
struct openapi_form {
    const struct view *view; // of an answer; NULL for a request
    bool has_limits;         // lengths, counts, ranges
    bool has_null;           // null, which means absent
};

// Whether the request or the answer has this member.
bool openapi_has(const struct view *view, const struct field *field);

// Whether the field is the first of its name: later rows are other types of the same member.
bool openapi_is_first(const struct schema *schema, const struct field *field);

// The view of a member's nested records; false if it has none.
bool openapi_inside(const struct view *view, const struct field *field, struct view *ret_inside);

// Appends the name of these records in the description: SceneRequest, SceneFound, Device.
void openapi_put_name(const struct schema *schema, const struct view *view, struct buffer *out);

// Writes a reference to that name, as a member or an item (json_write.h).
void openapi_put_reference(const struct schema *schema, const struct view *view, const char *name,
                           struct buffer *out);

// Writes the schema of one member's value, with its sentence and unit.
void openapi_put_field(const struct field *field, const struct openapi_form *form, const char *name,
                       struct buffer *out);

// Writes the schema of the records as a member named by openapi_put_name.
void openapi_put_record(const struct schema *schema, const struct view *view, struct buffer *out);

#endif
