// chars.h - C strings in places of a fixed size.
#ifndef DIORAMA_PROTO_BASE_CHARS_H
#define DIORAMA_PROTO_BASE_CHARS_H

#include <string.h>

// Copies the beginning of `chars` that fits into `size` bytes with its NUL. (snprintf does too, but
// costs more, most once the solver has opened a library that gives it conversions of its own.)
static inline void
chars_copy(char *ret_chars, size_t size, const char *chars)
{
    size_t length = strlen(chars);
    if (length >= size)
        length = size - 1;
    memcpy(ret_chars, chars, length);
    ret_chars[length] = '\0';
}

#endif
