// terminal_text.c - cleans UTF-8 and asks the C library how wide it is.
#include "tools/cli/terminal_text.h"

#include <locale.h>
#include <stdbool.h>
#include <wchar.h>

#include "proto/base/text.h"

// The character that begins at `chars`, in `size` bytes of valid UTF-8.
static wchar_t
decode(const char *chars, size_t size)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned character = (unsigned char)chars[0] & masks[size];
    for (size_t i = 1; i < size; i++)
        character = character << 6 | ((unsigned char)chars[i] & 0x3f);
    return (wchar_t)character;
}

// Marks, embeddings, overrides and isolates of writing direction.
static bool
turns_direction(wchar_t character)
{
    return character == 0x061c || character == 0x200e || character == 0x200f ||
           (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

// The columns that a character takes; 1 if the C library does not know it.
static size_t
width_of(wchar_t character)
{
    static locale_t utf8;
    if (!utf8)
        utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    locale_t before = utf8 ? uselocale(utf8) : NULL;
    int width = wcwidth(character);
    if (utf8)
        uselocale(before);
    return width < 0 ? 1 : (size_t)width;
}

size_t
terminal_text_put_one(struct buffer *out, const char *chars, size_t left, size_t *ret_step)
{
    size_t step = utf8_sequence(chars, left);
    *ret_step = step ? step : 1;
    wchar_t character = step ? decode(chars, step) : 0;
    if (!step || utf8_is_control(chars, step) || turns_direction(character)) {
        buffer_put_char(out, '?');
        return 1;
    }
    buffer_put(out, chars, step);
    return width_of(character);
}

void
terminal_text_put(struct buffer *out, const char *chars)
{
    size_t step;
    for (size_t left = strlen(chars); left > 0; left -= step, chars += step)
        terminal_text_put_one(out, chars, left, &step);
    buffer_put_char(out, '\0');
}

size_t
terminal_text_width(const char *chars)
{
    size_t width = 0, step;
    for (size_t left = strlen(chars); left > 0; left -= step, chars += step) {
        step = utf8_sequence(chars, left);
        width += width_of(decode(chars, step));
    }
    return width;
}
