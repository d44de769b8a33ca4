// compressor.h - makes bodies smaller; the only file that knows zlib and libzstd. What they work
// with takes half a megabyte, so it belongs to no worker but to a pool that all workers share:
// there are as many as were needed at the same time, and only few are kept.
#ifndef DIORAMA_GATEWAY_HTTP_COMPRESSOR_H
#define DIORAMA_GATEWAY_HTTP_COMPRESSOR_H

#include "gateway/http/content_coding.h"
#include "proto/base/buffer.h"

typedef struct compressor compressor_t;

compressor_t *compressor_create(void);
// Accepts NULL.
void compressor_destroy(compressor_t **self);

// Writes `body` from `offset` on, coded, behind the first `offset` bytes of room in `out`. False
// where that does not pay (saves less than an eighth) and is not `wanted` at any price; `out` is
// undefined then. Any thread.
bool compressor_run(compressor_t *self, enum content_coding coding, bool wanted,
                    const struct buffer *body, size_t offset, struct buffer *out);

#endif
