// percent.c - percent-encoding with two sets of characters that stay.
#include "tools/cli/percent.h"

#include <stdbool.h>
#include <string.h>

static bool
stays_in_segment(unsigned char byte)
{
    return byte &&
           strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", byte);
}

static bool
stays_in_word(unsigned char byte)
{
    return byte > 0x1f && byte != 0x7f && byte != '.' && byte != '%';
}

static void
encode(struct buffer *out, const char *chars, bool (*stays)(unsigned char))
{
    for (; *chars; chars++) {
        unsigned char byte = (unsigned char)*chars;
        if (stays(byte))
            buffer_put_char(out, *chars);
        else
            buffer_put_format(out, "%%%02X", byte);
    }
}

void
percent_put_segment(struct buffer *out, const char *chars)
{
    encode(out, chars, stays_in_segment);
}

void
percent_put_word(struct buffer *out, const char *chars)
{
    encode(out, chars, stays_in_word);
}
