// query.h - a query string becomes a record of any schema: parameters of a request, a filter, the
// one record of an upload (decisions 1, 9 to 12). Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_QUERY_H
#define DIORAMA_GATEWAY_REQUEST_QUERY_H

#include "proto/base/arena.h"
#include "proto/codec/json_text.h"
#include "proto/record/record.h"

// Whether a query string may have this member: it is a plain value or a list of texts, no secret,
// and `view` (NULL = all) has it.
bool query_takes(const struct view *view, const struct field *field);

// Reads `a=1&b=2` by names and aliases. A parameter that is said again adds to a list, and replaces
// any other value; unknown ones are ignored; an empty value is absent. Fails with ERR_MALFORMED
// (wrong type, bad encoding) or ERR_INVALID (range, count): without a pointer, the detail names the
// parameter.
fallible query_read(struct arena *arena, const struct schema *schema, const struct view *view,
                    const char *query, struct record **ret_record);

// What a URI says of a field, as JSON of the field's type; what does not fit stays a text, which
// the codec refuses in its own words.
struct json query_value(const struct field *field, const struct text *text);

// Reads members that a URI says, as query_read does; `members` is a JSON object.
fallible query_read_members(struct arena *arena, const struct schema *schema,
                            const struct json *members, struct record **ret_record);

#endif
