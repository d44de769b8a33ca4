// record_openapi.h - a field table as JSON Schema (2020-12), the way OpenAPI 3.1 has it: what a
// request may say of a record, and what an answer says.
#ifndef DIORAMA_PROTO_CODEC_RECORD_OPENAPI_H
#define DIORAMA_PROTO_CODEC_RECORD_OPENAPI_H

#include "proto/base/buffer.h"
#include "proto/record/schema.h"

// Everywhere a NULL view means a request.

// What the schema of a value says beside its type.
struct openapi_form {
    const struct view *view; // of an answer; NULL: of a request
    bool has_limits;         // lengths, counts, ranges
    bool has_null;           // null, which means absent
};

// Whether the request or the answer has this member.
bool openapi_has(const struct view *view, const struct field *field);

// Whether the field is the first of its name: later rows are other types of the same member.
bool openapi_is_first(const struct schema *schema, const struct field *field);

// The view of a member's own records; false where it has none.
bool openapi_inside(const struct view *view, const struct field *field, struct view *ret_inside);

// Appends the name that the description gives these records: SceneRequest, SceneFound, Device.
void openapi_put_name(const struct schema *schema, const struct view *view, struct buffer *out);

// Writes a reference to that name, as a member or an item (json_write.h).
void openapi_put_reference(const struct schema *schema, const struct view *view, const char *name,
                           struct buffer *out);

// Writes the schema of one member's value, its sentence and unit within.
void openapi_put_field(const struct field *field, const struct openapi_form *form, const char *name,
                       struct buffer *out);

// Writes the schema of the records, as a member called as openapi_put_name says.
void openapi_put_record(const struct schema *schema, const struct view *view, struct buffer *out);

#endif
