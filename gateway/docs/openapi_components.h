// openapi_components.h - what the paths of the OpenAPI document refer to: records, failures,
// headers and ways to authenticate. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_COMPONENTS_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_COMPONENTS_H

#include "gateway/request/route.h"

// The member `components`. Schemas of records are in the form of OpenAPI 3.1; without them it is
// in that of 3.0 too.
void openapi_components_put(const struct route_table *routes, bool has_records, struct buffer *out);

#endif
