// percent.h - percent-encoding of URIs (RFC 3986): decoded once, encoded for Location.
#ifndef DIORAMA_GATEWAY_HTTP_PERCENT_H
#define DIORAMA_GATEWAY_HTTP_PERCENT_H

#include "proto/base/arena.h"
#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/base/text.h"

enum percent_place {
    PERCENT_PATH,  // `+` is a plus
    PERCENT_QUERY, // `+` is a space
};

// Decodes `size` bytes at `data` into a text of the arena. Fails with ERR_MALFORMED on a `%`
// without two hex digits and on an encoded NUL.
fallible percent_decode(struct arena *arena, const char *data, size_t size,
                        enum percent_place place, const struct text **ret_text);

// Appends `text` as one path segment: all but unreserved characters encoded.
void percent_encode(struct buffer *out, const struct text *text);

#endif
