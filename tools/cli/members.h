// members.h - NAME=VALUE arguments as members of a JSON record or as parameters of a URL.
// A value that is valid JSON is JSON (7, true, null, [1,2], {"a":1}, "7"), any other is text.
#ifndef DIORAMA_TOOLS_CLI_MEMBERS_H
#define DIORAMA_TOOLS_CLI_MEMBERS_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/codec/json_text.h"
#include "tools/cli/options.h"

// Checks that each is NAME=VALUE and no name is given twice. Fails with ERR_INVALID.
fallible members_check(const struct option_texts *members);

// Whether one has this name.
bool members_have(const struct option_texts *members, const char *name);

// Appends the record: the members of `base` (an object, or NULL), overwritten by the checked
// `members`, and the text `password` unless it is NULL.
void members_put_record(struct buffer *out, const struct json *base,
                        const struct option_texts *members, const char *password);

// Appends "name=value" of a URL's query, with `?` or `&` before it. Values are text.
void members_put_parameter(struct buffer *out, const char *name, size_t name_size,
                           const char *value);
void members_put_query(struct buffer *out, const struct option_texts *members);

#endif
