// compressor.h - compresses bodies. The workspace of the libraries takes half a megabyte, so
// workers share a pool of them: it has as many as were needed at the same time, and keeps only a
// few.
#ifndef DIORAMA_GATEWAY_HTTP_COMPRESSOR_H
#define DIORAMA_GATEWAY_HTTP_COMPRESSOR_H

#include "gateway/http/content_coding.h"
#include "proto/base/buffer.h"

typedef struct compressor compressor_t;

compressor_t *compressor_create(void);
// Accepts NULL.
void compressor_destroy(compressor_t **self);

// Compresses `body` from `offset` on into `out`, after `offset` bytes of room. False, and `out`
// undefined, if that saves less than an eighth; with `wanted` it is done in any case. Any thread.
bool compressor_run(compressor_t *self, enum content_coding coding, bool wanted,
                    const struct buffer *body, size_t offset, struct buffer *out);

#endif
