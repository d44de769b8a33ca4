// json_value.c - reads members of a JSON tree and prints trees.
#include "tools/cli/json_value.h"

#include <string.h>

#include "proto/codec/json_tree.h"

static const struct json *
find(const struct json *object, const char *name, enum json_type type)
{
    if (!object || object->type != JSON_OBJECT)
        return NULL;
    const struct json *value = json_find(object, name);
    return value && value->type == type ? value : NULL;
}

const char *
json_value_chars(const struct json *object, const char *name, const char *missing)
{
    const struct json *value = find(object, name, JSON_TEXT);
    return value ? text_chars(value->text) : missing;
}

uint64_t
json_value_unsigned(const struct json *object, const char *name, uint64_t missing)
{
    const struct json *value = find(object, name, JSON_INTEGER);
    return value && value->integer >= 0 ? (uint64_t)value->integer : missing;
}

const struct json *
json_value_item(const struct json *object, const char *name, size_t index)
{
    const struct json *array = find(object, name, JSON_ARRAY);
    return array && index < array->count ? &array->items[index] : NULL;
}

bool
json_value_numbers(const struct json *object, const char *name, size_t count, double *ret_numbers)
{
    const struct json *array = find(object, name, JSON_ARRAY);
    if (!array || array->count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (array->items[i].type != JSON_INTEGER && array->items[i].type != JSON_NUMBER)
            return false;
    for (size_t i = 0; i < count; i++)
        ret_numbers[i] = array->items[i].type == JSON_INTEGER ? (double)array->items[i].integer
                                                              : array->items[i].number;
    return true;
}

void
json_value_put(struct buffer *out, const struct json *value)
{
    json_tree_put(out, value, SIZE_MAX);
}

void
json_value_put_chars(struct buffer *out, const char *chars)
{
    json_put_text(out, chars, strlen(chars));
}

void
json_value_put_matrix(struct buffer *out, const double *matrix)
{
    for (int i = 0; i < 16; i++) {
        buffer_put_char(out, i ? ',' : '[');
        json_put_number(out, matrix[i]);
    }
    buffer_put_char(out, ']');
}
