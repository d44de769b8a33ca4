// json_value.h - reads members of a parsed JSON tree and writes trees as text.
#ifndef DIORAMA_TOOLS_CLI_JSON_VALUE_H
#define DIORAMA_TOOLS_CLI_JSON_VALUE_H

#include <stdbool.h>

#include "proto/codec/json_text.h"

// A member of an object, or `missing` if there is none of that type. NULL is an empty object.
const char *json_value_chars(const struct json *object, const char *name, const char *missing);
uint64_t json_value_unsigned(const struct json *object, const char *name, uint64_t missing);

// Item `index` of the array called `name`, or NULL.
const struct json *json_value_item(const struct json *object, const char *name, size_t index);

// Reads an array of exactly `count` numbers; false, outputs untouched, if there is none.
bool json_value_numbers(const struct json *object, const char *name, size_t count,
                        double *ret_numbers);

// Appends `value` as compact JSON.
void json_value_put(struct buffer *out, const struct json *value);

// Appends a C string with its quotes.
void json_value_put_chars(struct buffer *out, const char *chars);

// Appends the 16 numbers of a matrix as an array.
void json_value_put_matrix(struct buffer *out, const double *matrix);

#endif
