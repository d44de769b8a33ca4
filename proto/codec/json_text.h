// json_text.h - JSON text to a tree in an arena, and values to JSON text.
// With json_number the C face of the project's C++; simdjson parses.
#ifndef DIORAMA_PROTO_CODEC_JSON_TEXT_H
#define DIORAMA_PROTO_CODEC_JSON_TEXT_H

#include "proto/base/arena.h"
#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/base/text.h"
#include "proto/codec/json_number.h"

enum json_type {
    JSON_NULL,
    JSON_BOOL,
    JSON_INTEGER, // fits int64
    JSON_NUMBER,  // a finite double; also integers beyond int64 up to uint64
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_member;

// One value. Arrays have `count` items, objects `count` members, in document order. The `count` of
// a number is 1 if the text had an integer beyond int64, of which it is the nearest double, else 0.
// A value has 16 bytes, so that a datagram of 8 KiB, all commas, takes no more than 64 KiB at once.
struct json {
    enum json_type type;
    uint32_t count;
    union {
        bool boolean;
        int64_t integer;
        double number;
        const struct text *text;
        const struct json *items;
        const struct json_member *members;
    };
};

struct json_member {
    const struct text *name;
    struct json value;
};

#ifdef __cplusplus
extern "C" {
#endif

// Parses one document of `size` bytes. The tree borrows nothing from `data`.
// Fails with ERR_MALFORMED: not JSON, not UTF-8, deeper than LIMIT_JSON_DEPTH, a number beyond
// double or 64 bits, the same name twice in one object; with ERR_TOO_LARGE: more than
// LIMIT_JSON_VALUES values.
fallible json_parse(struct arena *arena, const char *data, size_t size,
                    const struct json **ret_value);

// Bytes that json_parse takes at most for the document, its tree included, and that it takes to
// make `object_size` bytes from each of its objects. Looks at each byte once.
size_t json_cost(const char *data, size_t size, size_t object_size);

// Whether two of the `count` members have one name. May allocate from `arena` 8 bytes a member.
bool json_has_duplicates(struct arena *arena, const struct json_member *members, size_t count);

// The value of the member `name`, or NULL; NULL too if the value is not an object.
const struct json *json_find(const struct json *object, const char *name);

// Prints a string with its quotes; `"`, `\` and control characters are escaped, the rest is UTF-8.
void json_put_text(struct buffer *out, const char *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
