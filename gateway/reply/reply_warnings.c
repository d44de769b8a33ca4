// reply_warnings.c - writes warnings as JSON. Pure.
#include "gateway/reply/reply_warnings.h"

#include "proto/codec/json_text.h"

enum { HEADER_BYTES = 2048 };

static void
put_text(const struct text *text, struct buffer *out)
{
    json_put_text(out, text_bytes(text), text_size(text));
}

static void
put_warning(const struct warning *warning, struct buffer *out)
{
    buffer_put_chars(out, "{\"pointer\":");
    put_text(warning->pointer, out);
    buffer_put_chars(out, ",\"detail\":");
    put_text(warning->detail, out);
    buffer_put_char(out, '}');
}

void
reply_warnings_put(const struct warnings *warnings, struct buffer *out)
{
    if (!warnings->count)
        return;
    buffer_put_chars(out, ",\"warnings\":[");
    for (const struct warning *at = warnings->first; at; at = at->next) {
        put_warning(at, out);
        if (at->next)
            buffer_put_char(out, ',');
    }
    buffer_put_char(out, ']');
}

// Bytes beyond ASCII are no part of a header that everybody reads alike.
static void
put_ascii(const struct buffer *json, struct buffer *out)
{
    for (size_t i = 0; i < json->size; i++) {
        unsigned char byte = (unsigned char)json->data[i];
        if (byte < 0x80 && byte >= ' ' && byte != 0x7f)
            buffer_put_char(out, (char)byte);
        else if (byte >= 0xc0 || byte < 0x80) // one mark for each character
            buffer_put_char(out, '?');
    }
}

void
reply_warnings_put_header(const struct warnings *warnings, struct buffer *out)
{
    struct buffer one = {0};
    size_t start = out->size;
    if (!warnings->count)
        return;
    buffer_put_char(out, '[');
    for (const struct warning *at = warnings->first; at; at = at->next) {
        buffer_clear(&one);
        put_warning(at, &one);
        if (out->size - start + one.size > HEADER_BYTES)
            break;
        if (at != warnings->first)
            buffer_put_char(out, ',');
        put_ascii(&one, out);
    }
    buffer_put_char(out, ']');
    buffer_finish(&one);
}
