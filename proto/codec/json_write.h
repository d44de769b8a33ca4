// json_write.h - JSON documents member by member, for descriptions; answers have their own writers.
// Commas are added automatically: before everything that is not the first in its brackets.
#ifndef DIORAMA_PROTO_CODEC_JSON_WRITE_H
#define DIORAMA_PROTO_CODEC_JSON_WRITE_H

#include <stdbool.h>

#include "proto/base/buffer.h"

// A NULL `name` means an item of a list instead of a member.
void json_write_begin(struct buffer *out, const char *name, char bracket);
void json_write_end(struct buffer *out, char bracket);
void json_write_text(struct buffer *out, const char *name, const char *chars);
// A whole number is written without decimals.
void json_write_number(struct buffer *out, const char *name, double value);
void json_write_bool(struct buffer *out, const char *name, bool value);

// Begins a member whose value is appended to `out` directly, as JSON.
void json_write_value_begin(struct buffer *out, const char *name);

// A text in pieces: begin it, append to `out` directly, end it. The pieces must not need escapes.
void json_write_text_begin(struct buffer *out, const char *name);
void json_write_text_end(struct buffer *out);

#endif
