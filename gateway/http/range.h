// range.h - which part of a file a request asks for: Range and If-Range (RFC 9110, 13.1.5 and 14).
// Pure.
#ifndef DIORAMA_GATEWAY_HTTP_RANGE_H
#define DIORAMA_GATEWAY_HTTP_RANGE_H

#include "proto/codec/etag.h"

struct range {
    uint64_t first, size;
};

enum range_verdict {
    RANGE_WHOLE,   // no range that we understand, or several
    RANGE_PART,    // the one in *ret_range, at least one byte
    RANGE_NOWHERE, // it has no byte of the file: 416
};

// Decides which part of a file of `size` bytes with the tag `etag` the header `range` (NULL = none)
// asks for, under the condition `if_range` (NULL = none). A date never matches: files have no other
// validator than their tag.
enum range_verdict range_decide(const char *range, const char *if_range, const struct etag *etag,
                                uint64_t size, struct range *ret_range);

#endif
