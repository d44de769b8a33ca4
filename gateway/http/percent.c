// percent.c - percent-encoding of URIs (RFC 3986). Pure.
#include "gateway/http/percent.h"

#include <string.h>

static int
hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit = (char)(digit | 0x20);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

// The byte that `data`, "%XX", stands for; -1 if it stands for none or for NUL.
static int
decode_byte(const char *data, size_t left)
{
    if (left < 3)
        return -1;
    int high = hex_value(data[1]), low = hex_value(data[2]);
    int byte = high < 0 || low < 0 ? -1 : high * 16 + low;
    return byte == 0 ? -1 : byte;
}

fallible
percent_decode(struct arena *arena, const char *data, size_t size, enum percent_place place,
               const struct text **ret_text)
{
    if (!memchr(data, '%', size) && place == PERCENT_PATH) {
        *ret_text = text_new(arena, data, size);
        return OK;
    }
    char *decoded = arena_alloc(arena, size + 1);
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '%') {
            int byte = decode_byte(data + i, size - i);
            if (byte < 0)
                return fail(ERR_MALFORMED, "", "the URI has a %% that is not an encoded character");
            decoded[count++] = (char)byte;
            i += 2;
        } else
            decoded[count++] = data[i] == '+' && place == PERCENT_QUERY ? ' ' : data[i];
    }
    *ret_text = text_new(arena, decoded, count);
    return OK;
}

static bool
is_unreserved(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("-._~", byte));
}

void
percent_encode(struct buffer *out, const struct text *text)
{
    for (size_t i = 0; i < text_size(text); i++)
        if (is_unreserved(text->data[i]))
            buffer_put_char(out, text->data[i]);
        else
            buffer_put_format(out, "%%%02X", (unsigned)(unsigned char)text->data[i]);
}
