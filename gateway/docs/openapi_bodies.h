// openapi_bodies.h - what one route is sent and what it answers, as OpenAPI. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_BODIES_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_BODIES_H

#include "gateway/docs/route_catalogue.h"

// The member `requestBody`; nothing where the route has none.
void openapi_bodies_put_request(const struct route *route, struct buffer *out);

// The member `responses`: success, 304 where there is a tag, and each failure.
void openapi_bodies_put_responses(const struct route *route, struct buffer *out);

// The errors of `errors` with the status of `first`, or 0 where an earlier one has it too.
uint32_t openapi_bodies_failure(uint32_t errors, enum error first);

// Appends the name of an answer that tells of these: "MalformedOrMissing".
void openapi_bodies_put_failure_name(uint32_t errors, struct buffer *out);

#endif
