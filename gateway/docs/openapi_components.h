// openapi_components.h - what the paths of the OpenAPI document refer to: records, failures,
// headers and ways to authenticate. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_COMPONENTS_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_COMPONENTS_H

#include "gateway/request/route.h"

// The member `components`.
void openapi_components_put(const struct route_table *routes, struct buffer *out);

#endif
