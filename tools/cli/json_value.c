// json_value.c - reads members of a JSON tree and prints trees.
#include "tools/cli/json_value.h"

#include <string.h>

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

static void
put_items(struct buffer *out, const struct json *value)
{
    for (uint32_t i = 0; i < value->count; i++) {
        if (i)
            buffer_put_char(out, ',');
        if (value->type == JSON_OBJECT) {
            const struct text *name = value->members[i].name;
            json_put_text(out, text_bytes(name), text_size(name));
            buffer_put_char(out, ':');
            json_value_put(out, &value->members[i].value);
        } else
            json_value_put(out, &value->items[i]);
    }
}

void
json_value_put(struct buffer *out, const struct json *value)
{
    switch (value->type) {
    case JSON_NULL:
        buffer_put_chars(out, "null");
        break;
    case JSON_BOOL:
        buffer_put_chars(out, value->boolean ? "true" : "false");
        break;
    case JSON_INTEGER:
        json_put_integer(out, value->integer);
        break;
    case JSON_NUMBER:
        json_put_number(out, value->number);
        break;
    case JSON_TEXT:
        json_put_text(out, text_bytes(value->text), text_size(value->text));
        break;
    case JSON_ARRAY:
        buffer_put_char(out, '[');
        put_items(out, value);
        buffer_put_char(out, ']');
        break;
    case JSON_OBJECT:
        buffer_put_char(out, '{');
        put_items(out, value);
        buffer_put_char(out, '}');
        break;
    }
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
