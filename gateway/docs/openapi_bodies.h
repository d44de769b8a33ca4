// openapi_bodies.h - the answers of one route as OpenAPI. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_BODIES_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_BODIES_H

#include "gateway/docs/route_catalogue.h"
#include "gateway/http/header_fields.h"

// Writes the member `responses`: success, 304 if the route has a tag, and each failure. `id` is the
// name of its operation.
void openapi_bodies_put_responses(const struct route *route, const char *id, struct buffer *out);

// Writes a header field of an answer, as a reference to its description.
void openapi_bodies_put_header(enum header_id id, struct buffer *out);

// The errors of `errors` with the status of `first`; 0 if an error before `first` has that status
// too.
uint32_t openapi_bodies_failure(uint32_t errors, enum error first);

// Appends the name of the answer for these errors: "MalformedOrMissing".
void openapi_bodies_put_failure_name(uint32_t errors, struct buffer *out);

#endif
