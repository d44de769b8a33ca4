// openapi.h - the interface as an OpenAPI 3.1 document, written from the tables of routes,
// operations, records and errors. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_H

#include "gateway/request/route.h"

// The whole document; made once.
fallible openapi_print(const struct probe *probe, struct buffer *out);

#endif
