// json_tree.h - what can be done to any tree of JSON: measure its depth, check that a JSON text can
// say it, find integers that were rounded, and write it.
#ifndef DIORAMA_PROTO_CODEC_JSON_TREE_H
#define DIORAMA_PROTO_CODEC_JSON_TREE_H

#include "proto/codec/json_text.h"

// Whether `value` has more than `levels` arrays and objects inside each other; `[1]` has one.
bool json_tree_is_deeper(const struct json *value, unsigned levels);

// Whether a JSON text that json_parse takes can say `value`; trees of other forms may have texts
// and names that are not UTF-8, numbers that are not finite, or the same name twice in one object.
// May allocate from `arena` as json_has_duplicates does.
bool json_tree_is_json(struct arena *arena, const struct json *value);

// Whether it has an integer beyond int64, which is kept as the nearest double.
bool json_tree_is_rounded(const struct json *value);

// Appends `value` as compact JSON. Gives up, with false, when more than `most` bytes are written;
// what was appended then is no JSON.
bool json_tree_put(struct buffer *out, const struct json *value, size_t most);

#endif
