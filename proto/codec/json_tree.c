// json_tree.c - measures, checks and writes trees of JSON (json_tree.h). Pure; any thread. The
// recursion ends at LIMIT_JSON_DEPTH, since no tree is deeper.
#include "proto/codec/json_tree.h"

#include <math.h>

static const struct json *
item_of(const struct json *value, uint32_t index)
{
    return value->type == JSON_OBJECT ? &value->members[index].value : &value->items[index];
}

static bool
is_container(const struct json *value)
{
    return value->type == JSON_ARRAY || value->type == JSON_OBJECT;
}

bool
json_tree_is_deeper(const struct json *value, unsigned levels)
{
    if (!is_container(value))
        return false;
    bool is_deeper = levels == 0;
    for (uint32_t i = 0; i < value->count && !is_deeper; i++)
        is_deeper = json_tree_is_deeper(item_of(value, i), levels - 1);
    return is_deeper;
}

bool
json_tree_is_rounded(const struct json *value)
{
    bool is_rounded = value->type == JSON_NUMBER && value->count > 0;
    for (uint32_t i = 0; is_container(value) && i < value->count && !is_rounded; i++)
        is_rounded = json_tree_is_rounded(item_of(value, i));
    return is_rounded;
}

static bool
is_utf8(const struct text *text)
{
    return utf8_is_valid(text_bytes(text), text_size(text));
}

static bool
names_are_json(struct arena *arena, const struct json *object)
{
    for (uint32_t i = 0; i < object->count; i++)
        if (!is_utf8(object->members[i].name))
            return false;
    return !json_has_duplicates(arena, object->members, object->count);
}

bool
json_tree_is_json(struct arena *arena, const struct json *value)
{
    if (value->type == JSON_NUMBER)
        return isfinite(value->number);
    if (value->type == JSON_TEXT)
        return is_utf8(value->text);
    if (!is_container(value))
        return true;
    bool is_json = value->type == JSON_ARRAY || names_are_json(arena, value);
    for (uint32_t i = 0; i < value->count && is_json; i++)
        is_json = json_tree_is_json(arena, item_of(value, i));
    return is_json;
}

static void
put_text(struct buffer *out, const struct text *text)
{
    json_put_text(out, text_bytes(text), text_size(text));
}

// `end` is the size of `out` beyond which nothing more is written.
static bool put(struct buffer *out, const struct json *value, size_t end);

static bool
put_items(struct buffer *out, const struct json *value, size_t end)
{
    bool is_object = value->type == JSON_OBJECT;
    buffer_put_char(out, is_object ? '{' : '[');
    for (uint32_t i = 0; i < value->count; i++) {
        if (i)
            buffer_put_char(out, ',');
        if (is_object) {
            put_text(out, value->members[i].name);
            buffer_put_char(out, ':');
        }
        if (!put(out, item_of(value, i), end))
            return false;
    }
    buffer_put_char(out, is_object ? '}' : ']');
    return out->size <= end;
}

static bool
put(struct buffer *out, const struct json *value, size_t end)
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
        put_text(out, value->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        return put_items(out, value, end);
    }
    return out->size <= end;
}

bool
json_tree_put(struct buffer *out, const struct json *value, size_t most)
{
    return put(out, value, most > SIZE_MAX - out->size ? SIZE_MAX : out->size + most);
}
