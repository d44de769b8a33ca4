// json_write.c - JSON documents member by member. Pure; any thread.
#include "proto/codec/json_write.h"

#include <math.h>

#include "proto/codec/json_text.h"

static void
put_name(struct buffer *out, const char *name)
{
    if (out->size && !strchr("{[:", out->data[out->size - 1]))
        buffer_put_char(out, ',');
    if (!name)
        return;
    json_put_text(out, name, strlen(name));
    buffer_put_char(out, ':');
}

void
json_write_begin(struct buffer *out, const char *name, char bracket)
{
    put_name(out, name);
    buffer_put_char(out, bracket);
}

void
json_write_end(struct buffer *out, char bracket)
{
    buffer_put_char(out, bracket);
}

void
json_write_text(struct buffer *out, const char *name, const char *chars)
{
    put_name(out, name);
    json_put_text(out, chars, strlen(chars));
}

void
json_write_number(struct buffer *out, const char *name, double value)
{
    put_name(out, name);
    if (trunc(value) == value && fabs(value) < 1e18)
        json_put_integer(out, (int64_t)value);
    else
        json_put_number(out, value);
}

void
json_write_bool(struct buffer *out, const char *name, bool value)
{
    put_name(out, name);
    buffer_put_chars(out, value ? "true" : "false");
}

void
json_write_value_begin(struct buffer *out, const char *name)
{
    put_name(out, name);
}

void
json_write_text_begin(struct buffer *out, const char *name)
{
    put_name(out, name);
    buffer_put_char(out, '"');
}

void
json_write_text_end(struct buffer *out)
{
    buffer_put_char(out, '"');
}
