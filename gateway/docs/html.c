// html.c - writes text and elements of a page. Pure.
#include "gateway/docs/html.h"

static const char *
entity_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void
html_put_bytes(struct buffer *out, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char *entity = entity_of(data[i]);
        if (entity)
            buffer_put_chars(out, entity);
        else
            buffer_put_char(out, data[i]);
    }
}

void
html_put_text(struct buffer *out, const char *chars)
{
    html_put_bytes(out, chars, strlen(chars));
}

void
html_put(struct buffer *out, const char *element, const char *kind, const char *chars)
{
    buffer_put_format(out, "<%s", element);
    if (kind) {
        buffer_put_chars(out, " class=\"");
        html_put_text(out, kind);
        buffer_put_char(out, '"');
    }
    buffer_put_char(out, '>');
    html_put_text(out, chars);
    buffer_put_format(out, "</%s>", element);
}

void
html_put_link(struct buffer *out, const char *target, const char *chars)
{
    buffer_put_chars(out, "<a href=\"#");
    html_put_text(out, target);
    buffer_put_chars(out, "\">");
    html_put_text(out, chars);
    buffer_put_chars(out, "</a>");
}
