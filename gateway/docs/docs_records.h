// docs_records.h - the records of the interface, for its page. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_DOCS_RECORDS_H
#define DIORAMA_GATEWAY_DOCS_DOCS_RECORDS_H

#include "proto/base/buffer.h"
#include "proto/record/schema.h"

// Everywhere a NULL view means a request.

// A link to the table of these records.
void docs_put_link(const struct schema *schema, const struct view *view, struct buffer *out);

// What a value may be: "integer, 0 to 65535", "list of texts, at most 64".
void docs_put_type(const struct field *field, const struct view *view, struct buffer *out);

// The section with a table for each record.
void docs_put_records(struct buffer *out);

#endif
