// msgpack_scan.h - checks msgpack before anything is allocated for it: a header of five bytes can
// claim four thousand million items.
#ifndef DIORAMA_PROTO_CODEC_MSGPACK_SCAN_H
#define DIORAMA_PROTO_CODEC_MSGPACK_SCAN_H

#include <stddef.h>

#include "proto/base/error.h"

// Whether `data` is exactly one complete value, not deeper than LIMIT_JSON_DEPTH. Then the memory
// that it takes is in proportion to `size`. Fails with ERR_MALFORMED.
fallible msgpack_scan(const void *data, size_t size);

#endif
