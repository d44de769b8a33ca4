// oracle.c - jansson's reading of a text.
#include "tests/support/oracle.h"

#include <inttypes.h>
#include <jansson.h>

void
oracle_put_number(struct buffer *form, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    buffer_put_format(form, "d%016" PRIx64, bits);
}

void
oracle_put_text(struct buffer *form, const char *data, size_t size)
{
    buffer_put_format(form, "s%zu:", size);
    buffer_put(form, data, size);
}

static size_t
deeper(size_t depth, size_t of_items)
{
    return of_items > depth ? of_items : depth;
}

static size_t put_tree(struct buffer *form, json_t *value);

static size_t
put_object(struct buffer *form, json_t *object)
{
    size_t depth = 0;
    buffer_put_char(form, '{');
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        oracle_put_text(form, json_object_iter_key(at), strlen(json_object_iter_key(at)));
        depth = deeper(depth, put_tree(form, json_object_iter_value(at)));
    }
    buffer_put_char(form, '}');
    return depth + 1;
}

static size_t
put_array(struct buffer *form, json_t *array)
{
    size_t depth = 0;
    buffer_put_char(form, '[');
    for (size_t i = 0; i < json_array_size(array); i++)
        depth = deeper(depth, put_tree(form, json_array_get(array, i)));
    buffer_put_char(form, ']');
    return depth + 1;
}

static size_t
put_tree(struct buffer *form, json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return put_object(form, value);
    case JSON_ARRAY:
        return put_array(form, value);
    case JSON_STRING:
        oracle_put_text(form, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        buffer_put_format(form, "i%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        oracle_put_number(form, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        buffer_put_char(form, json_is_null(value) ? 'n' : json_is_true(value) ? 't' : 'f');
        break;
    }
    return 0;
}

// jansson calls integers and reals that are too large by one code; only its sentence tells them
// apart.
static enum oracle_verdict
refusal(const json_error_t *error)
{
    if (json_error_code(error) == json_error_null_byte_in_key)
        return ORACLE_REFUSES_NUL_IN_NAME;
    if (strstr(error->text, "too big integer") || strstr(error->text, "too big negative integer"))
        return ORACLE_REFUSES_LARGE_INTEGER;
    return ORACLE_REFUSES;
}

enum oracle_verdict
oracle_read(const char *data, size_t size, struct buffer *ret_form, size_t *ret_depth)
{
    json_error_t error;
    json_t *root =
        json_loadb(data, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!root)
        return refusal(&error);
    *ret_depth = put_tree(ret_form, root);
    json_decref(root);
    return ORACLE_ACCEPTS;
}
