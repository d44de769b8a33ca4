// text.c - strings and lists of them; what is UTF-8.
#include "proto/base/text.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

static struct text *
text_with_room(struct arena *arena, size_t size)
{
    assert(size < UINT32_MAX);
    struct text *self = arena_alloc(arena, sizeof(*self) + size + 1);
    self->size = (uint32_t)size;
    return self;
}

const struct text *
text_new(struct arena *arena, const char *data, size_t size)
{
    struct text *self = text_with_room(arena, size);
    if (size)
        memcpy(self->data, data, size);
    return self;
}

const struct text *
text_from(struct arena *arena, const char *chars)
{
    return text_new(arena, chars, strlen(chars));
}

const struct text *
text_copy(struct arena *arena, const struct text *text)
{
    return text_new(arena, text_bytes(text), text_size(text));
}

struct text *
text_duplicate(const struct text *text)
{
    size_t size = sizeof *text + text_size(text) + 1;
    struct text *self = memory_take_zeroed(size);
    if (text)
        memcpy(self, text, size);
    return self;
}

const struct text *
text_format(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    assert(size >= 0);
    struct text *self = text_with_room(arena, (size_t)size);
    vsnprintf(self->data, (size_t)size + 1, format, again);
    va_end(again);
    va_end(arguments);
    return self;
}

bool
text_equal(const struct text *a, const struct text *b)
{
    size_t size = text_size(a);
    return size == text_size(b) && memcmp(text_bytes(a), text_bytes(b), size) == 0;
}

bool
text_is(const struct text *self, const char *chars)
{
    size_t size = strlen(chars);
    return size == text_size(self) && memcmp(text_bytes(self), chars, size) == 0;
}

int
text_compare(const struct text *a, const struct text *b)
{
    size_t a_size = text_size(a), b_size = text_size(b);
    int order = memcmp(text_bytes(a), text_bytes(b), a_size < b_size ? a_size : b_size);
    if (order != 0)
        return order;
    return (a_size > b_size) - (a_size < b_size);
}

bool
text_number(const struct text *self, double *ret_number)
{
    const char *chars = text_chars(self);
    size_t size = text_size(self);
    char *end;
    errno = 0;
    double number = strtod(chars, &end);
    if (size == 0 || errno != 0 || end != chars + size ||
        strspn(chars, "+-.0123456789eE") != size || !isfinite(number))
        return false;
    *ret_number = number;
    return true;
}

const struct texts *
texts_of_one(struct arena *arena, const struct text *item)
{
    struct texts *list = arena_alloc(arena, sizeof *list + sizeof list->items[0]);
    list->count = 1;
    list->items[0] = item;
    return list;
}

bool
texts_contain(const struct texts *self, const struct text *item)
{
    for (size_t i = 0; i < texts_count(self); i++)
        if (text_equal(self->items[i], item))
            return true;
    return false;
}

bool
texts_equal(const struct texts *a, const struct texts *b)
{
    if (texts_count(a) != texts_count(b))
        return false;
    for (size_t i = 0; i < texts_count(a); i++)
        if (!text_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

// The legal sequences, RFC 3629 section 4: the first byte decides the size and narrows the second.
static const struct utf8_row {
    unsigned char first_low, first_high;
    unsigned char second_low, second_high;
    unsigned char size;
} utf8_rows[] = {
    // clang-format off
    {0x00, 0x7f, 0x00, 0x00, 1},
    {0xc2, 0xdf, 0x80, 0xbf, 2},
    {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3},
    {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4},
    {0xf4, 0xf4, 0x80, 0x8f, 4},
    // clang-format on
};

static bool
is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

static bool
utf8_row_fits(const struct utf8_row *row, const unsigned char *bytes, size_t left)
{
    if (left < row->size)
        return false;
    if (row->size > 1 && (bytes[1] < row->second_low || bytes[1] > row->second_high))
        return false;
    for (size_t i = 2; i < row->size; i++)
        if (!is_continuation(bytes[i]))
            return false;
    return true;
}

size_t
utf8_sequence(const char *data, size_t left)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; left && i < sizeof(utf8_rows) / sizeof(utf8_rows[0]); i++) {
        const struct utf8_row *row = &utf8_rows[i];
        if (bytes[0] <= row->first_high)
            return bytes[0] >= row->first_low && utf8_row_fits(row, bytes, left) ? row->size : 0;
    }
    return 0;
}

// How many bytes at the beginning are ASCII, which most texts are all of.
static size_t
ascii_size(const char *data, size_t size)
{
    size_t at = 0;
    for (uint64_t word; at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, data + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < size && !((unsigned char)data[at] & 0x80))
        at++;
    return at;
}

bool
utf8_is_valid(const char *data, size_t size)
{
    for (size_t at = ascii_size(data, size), step; at < size; at += step)
        if ((step = utf8_sequence(data + at, size - at)) == 0)
            return false;
    return true;
}

bool
utf8_is_control(const char *sequence, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)sequence;
    if (size == 1)
        return bytes[0] < 0x20 || bytes[0] == 0x7f;
    return size == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

void
utf8_clean(char *chars)
{
    size_t left = strlen(chars);
    while (left > 0) {
        size_t step = utf8_sequence(chars, left);
        if (step == 0) {
            *chars = '?';
            step = 1;
        }
        chars += step;
        left -= step;
    }
}
