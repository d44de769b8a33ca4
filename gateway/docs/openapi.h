// openapi.h - the interface as an OpenAPI 3.1 document, written from the tables of routes,
// operations, records and errors. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_H

#include "gateway/gateway.h"
#include "proto/base/buffer.h"

// The whole document; made once.
void openapi_print(const struct gateway_surroundings *around, struct buffer *out);

#endif
