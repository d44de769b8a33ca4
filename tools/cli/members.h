// members.h - NAME=VALUE arguments as members of a JSON record or as parameters of a URL.
// A value is JSON where it reads as JSON (7, true, null, [1,2], {"a":1}, "7"), else text.
#ifndef DIORAMA_TOOLS_CLI_MEMBERS_H
#define DIORAMA_TOOLS_CLI_MEMBERS_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/codec/json_text.h"
#include "tools/cli/options.h"

// Whether each is NAME=VALUE and no name stands twice. Fails with ERR_INVALID.
fallible members_check(const struct option_texts *members);

// Whether one has this name.
bool members_have(const struct option_texts *members, const char *name);

// Appends the record: what `base` (an object, or NULL) has, overwritten by the checked `members`,
// and the text `password` unless it is NULL.
void members_put_record(struct buffer *out, const struct json *base,
                        const struct option_texts *members, const char *password);

// Appends "name=value" of a URL's query, with `?` or `&` before it. Values are text.
void members_put_parameter(struct buffer *out, const char *name, size_t name_size,
                           const char *value);
void members_put_query(struct buffer *out, const struct option_texts *members);

#endif
