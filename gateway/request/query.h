// query.h - reads a query string as a record of any schema: parameters of a request, a filter, the
// record of an upload. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_QUERY_H
#define DIORAMA_GATEWAY_REQUEST_QUERY_H

#include "proto/base/arena.h"
#include "proto/codec/json_text.h"
#include "proto/record/record.h"

// Whether a query string may have this member: a plain value or a list of texts, no secret, in
// `view` (NULL = all).
bool query_takes(const struct view *view, const struct field *field);

// Reads `a=1&b=2` by names and aliases. A repeated parameter adds to a list and replaces any other
// value; unknown ones are ignored; an empty value is absent. Fails with ERR_MALFORMED (wrong type,
// bad encoding) or ERR_INVALID (range, count); the detail names the parameter, the pointer is
// empty.
fallible query_read(struct arena *arena, const struct schema *schema, const struct view *view,
                    const char *query, struct record **ret_record);

// The value of a field in a URI as JSON of the field's type. A value that does not fit stays a
// text, which the codec refuses with a reason.
struct json query_value(const struct field *field, const struct text *text);

// Reads members of a URI as query_read does; `members` is a JSON object.
fallible query_read_members(struct arena *arena, const struct schema *schema,
                            const struct json *members, struct record **ret_record);

#endif
