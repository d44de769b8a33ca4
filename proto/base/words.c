// words.c - folds texts with utf8proc and cuts them into words (words.h).
#include "proto/base/words.h"

#include <stdlib.h>
#include <utf8proc.h>

enum { FOLDED_MOST = 2048 }; // of a text so many bytes are looked at

bool
words_next(const char *bytes, size_t size, size_t *at, const char **ret_word, size_t *ret_size)
{
    if (*at >= size)
        return false;
    *ret_size = (unsigned char)bytes[*at];
    *ret_word = bytes + *at + 1;
    *at += 1 + *ret_size;
    return true;
}

bool
words_have(const char *words, size_t words_size, const char *prefix, size_t size)
{
    const char *word;
    size_t word_size;
    for (size_t at = 0; words_next(words, words_size, &at, &word, &word_size);)
        if (word_size >= size && memcmp(word, prefix, size) == 0)
            return true;
    return false;
}

static bool
has(const struct words *self, const char *wanted, size_t size)
{
    const char *word;
    size_t word_size;
    for (size_t at = 0; words_next(self->bytes, self->size, &at, &word, &word_size);)
        if (word_size == size && memcmp(word, wanted, size) == 0)
            return true;
    return false;
}

static void
add(struct words *self, const char *word, size_t size)
{
    size = size > WORD_BYTES ? WORD_BYTES : size;
    if (size == 0 || self->size + 1 + size > sizeof self->bytes || has(self, word, size))
        return;
    self->bytes[self->size] = (char)size;
    memcpy(self->bytes + self->size + 1, word, size);
    self->size += 1 + size;
}

static bool
is_of_word(utf8proc_int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
           (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

static void
split(struct words *self, const utf8proc_uint8_t *bytes, utf8proc_ssize_t size)
{
    utf8proc_ssize_t start = 0, at = 0;
    while (at < size) {
        utf8proc_int32_t code;
        utf8proc_ssize_t step = utf8proc_iterate(bytes + at, size - at, &code);
        bool is_part = step > 0 && is_of_word(code);
        if (!is_part) {
            add(self, (const char *)bytes + start, (size_t)(at - start));
            start = at + (step > 0 ? step : 1);
        }
        at += step > 0 ? step : 1;
    }
    if (start < at)
        add(self, (const char *)bytes + start, (size_t)(at - start));
}

// How many bytes of the text are looked at: no more than all, and no character in part.
static size_t
looked_at(const struct text *text)
{
    const char *bytes = text_bytes(text), *end = bytes + text_size(text);
    const char *at = end - bytes > FOLDED_MOST ? bytes + FOLDED_MOST : end;
    while (at < end && at > bytes && (*at & 0xc0) == 0x80)
        at--;
    return (size_t)(at - bytes);
}

void
words_add(struct words *self, const struct text *text)
{
    utf8proc_uint8_t *folded;
    size_t size = text_size(text) ? looked_at(text) : 0;
    if (size == 0)
        return;
    utf8proc_ssize_t folded_size =
        utf8proc_map((const utf8proc_uint8_t *)text_bytes(text), (utf8proc_ssize_t)size, &folded,
                     UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD |
                         UTF8PROC_STRIPMARK);
    if (folded_size < 0)
        return; // no UTF-8: it has no words
    split(self, folded, folded_size);
    free(folded);
}
