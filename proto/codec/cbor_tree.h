// cbor_tree.h - CBOR (RFC 8949) to the tree that JSON is read into.
// libcbor reads one item after the other; nothing is allocated by a size that the document says.
#ifndef DIORAMA_PROTO_CODEC_CBOR_TREE_H
#define DIORAMA_PROTO_CODEC_CBOR_TREE_H

#include "proto/codec/json_text.h"

enum { CBOR_VALUES_MOST = 4096 }; // of one document

// Reads one document of `size` bytes. What JSON has no word for is null: byte strings, undefined,
// numbers that are not finite. Tags are passed over.
// Fails with ERR_MALFORMED: not CBOR, bytes behind it, a text that is not UTF-8 or comes in chunks,
// a name that is no text or stands twice, deeper than LIMIT_JSON_DEPTH; with ERR_TOO_LARGE: more
// than CBOR_VALUES_MOST values.
fallible cbor_parse(struct arena *arena, const char *data, size_t size,
                    const struct json **ret_value);

#endif
