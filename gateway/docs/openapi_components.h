// openapi_components.h - what the paths of the description refer to: records, failures, headers,
// ways to say who asks. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_COMPONENTS_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_COMPONENTS_H

#include "proto/base/buffer.h"

// The member `components`.
void openapi_put_components(struct buffer *out);

#endif
