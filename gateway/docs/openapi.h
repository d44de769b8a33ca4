// openapi.h - the interface as OpenAPI documents, written from the tables of routes, operations,
// records and errors. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_H

#include "gateway/request/route.h"

// The whole interface, as OpenAPI 3.1; made once.
fallible openapi_print(const struct probe *probe, struct buffer *out);

// What map clients ask for, as OpenAPI 3.0, which OGC API - Features promises (class `oas30`).
fallible openapi_print_features(const struct probe *probe, struct buffer *out);

#endif
