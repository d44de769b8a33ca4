// text.h - counted, immutable UTF-8 strings, and lists of them. One pointer wide in a record.
// A NULL text or list is the empty one everywhere.
#ifndef DIORAMA_PROTO_BASE_TEXT_H
#define DIORAMA_PROTO_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "proto/base/arena.h"

// Packed: texts follow each other in a record, and an object has some six of them.
struct text {
    uint32_t size; // bytes, without the NUL that follows them
    char data[];
} __attribute__((packed));

struct texts {
    uint32_t count;
    const struct text *items[];
};

static inline size_t
text_size(const struct text *self)
{
    return self ? self->size : 0;
}

// The bytes, which count only together with text_size: a text may contain NUL, which JSON can
// escape. tools/lint/texts wants both in one statement.
static inline const char *
text_bytes(const struct text *self)
{
    return self ? self->data : "";
}

// The text as a C string; "" if it contains NUL, so that no text is ever taken for its beginning.
static inline const char *
text_chars(const struct text *self)
{
    return self && !memchr(self->data, '\0', self->size) ? self->data : "";
}

static inline size_t
texts_count(const struct texts *self)
{
    return self ? self->count : 0;
}

const struct text *text_new(struct arena *arena, const char *data, size_t size);
const struct text *text_from(struct arena *arena, const char *chars);
// A copy of a text; of NULL an empty one.
const struct text *text_copy(struct arena *arena, const struct text *text);
// A copy of a text on the heap; free() ends it.
struct text *text_duplicate(const struct text *text);
const struct text *text_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

bool text_equal(const struct text *a, const struct text *b);
bool text_is(const struct text *self, const char *chars);

// Bytewise, as the store orders keys: < 0, 0, > 0.
int text_compare(const struct text *a, const struct text *b);

// A finite number that is written in decimals and is all of the text.
bool text_number(const struct text *self, double *ret_number);

// A list of one text.
const struct texts *texts_of_one(struct arena *arena, const struct text *item);

bool texts_contain(const struct texts *self, const struct text *item);
bool texts_equal(const struct texts *a, const struct texts *b);

// Bytes of the UTF-8 sequence at `data` (at most `left`): 1 to 4, or 0 if there is none (RFC 3629:
// no surrogates, no overlong forms).
size_t utf8_sequence(const char *data, size_t left);
bool utf8_is_valid(const char *data, size_t size);

// Whether the sequence is a control character: U+0000 to U+001F, U+007F to U+009F.
bool utf8_is_control(const char *sequence, size_t size);

// Replaces each byte that is not UTF-8 by `?`, also the bytes of a sequence that was cut.
void utf8_clean(char *chars);

#endif
