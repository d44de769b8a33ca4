// sheet.c - cells are cleaned and measured when they are added.
#include "tools/cli/sheet.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "proto/base/text.h"

void
sheet_finish(struct sheet *self)
{
    buffer_finish(&self->text);
}

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

// Columns that a character takes; 1 for what the C library does not know.
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

// Appends one character, or `?` in its place; returns its columns, and its bytes in `ret_step`.
static size_t
put_character(struct buffer *out, const char *chars, size_t left, size_t *ret_step)
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
sheet_add(struct sheet *self, const char *chars, size_t size)
{
    size_t column = self->cells++ % self->columns, width = 0, step;
    size_t most = column > 0 && self->cell_max ? self->cell_max : SIZE_MAX;
    size_t fits = self->text.size; // where the cell ends if it is cut
    for (size_t i = 0; i < size && width <= most; i += step) {
        width += put_character(&self->text, chars + i, size - i, &step);
        if (width < most)
            fits = self->text.size;
    }
    if (width > most) {
        self->text.size = fits;
        buffer_put_chars(&self->text, "…");
        width = most;
    }
    if (size == 0) {
        buffer_put_char(&self->text, '-');
        width = 1;
    }
    buffer_put_char(&self->text, '\0');
    if (width > self->widths[column])
        self->widths[column] = width;
}

static size_t
width_of_cell(const char *cell)
{
    size_t width = 0, step;
    for (size_t left = strlen(cell); left > 0; left -= step, cell += step) {
        step = utf8_sequence(cell, left);
        width += width_of(decode(cell, step));
    }
    return width;
}

void
sheet_print(const struct sheet *self, FILE *out)
{
    const char *cell = self->text.data;
    for (size_t i = 0; i < self->cells; i++) {
        size_t column = i % self->columns;
        bool is_last = column + 1 == self->columns;
        size_t blanks = is_last ? 0 : self->widths[column] + 2 - width_of_cell(cell);
        fprintf(out, "%s%*s", cell, (int)blanks, "");
        if (is_last)
            fputc('\n', out);
        cell += strlen(cell) + 1;
    }
}
