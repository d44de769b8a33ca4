// docs_records.h - the tables of records in the page that describes the interface. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_DOCS_RECORDS_H
#define DIORAMA_GATEWAY_DOCS_DOCS_RECORDS_H

#include "gateway/request/route.h"

// In all functions a NULL view means a request.

// A link to the table of these records.
void docs_records_put_link(const struct schema *schema, const struct view *view,
                           struct buffer *out);

// What a value may be: "integer, 0 to 65535", "list of texts, at most 64".
void docs_records_put_type(const struct field *field, const struct view *view, struct buffer *out);

// The section with a table for each record.
void docs_records_put(const struct route_table *routes, struct buffer *out);

#endif
