// openapi_requests.h - the request body of one route as OpenAPI. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_REQUESTS_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_REQUESTS_H

#include "gateway/request/route.h"

// Writes the member `requestBody`; nothing if the route has none. `id` is the name of its
// operation.
void openapi_requests_put(const struct route *route, const char *id, struct buffer *out);

#endif
