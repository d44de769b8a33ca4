// hex.c - bytes that tests state and expect, as lower-case hex (hex.h).
#include "tests/support/hex.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

const char *
hex_bytes(struct arena *arena, const char *hex, size_t *ret_size)
{
    *ret_size = strlen(hex) / 2;
    char *data = arena_alloc(arena, *ret_size + 1);
    for (size_t i = 0; i < *ret_size; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        data[i] = (char)strtoul(digits, NULL, 16);
    }
    return data;
}

void
hex_expect(const struct buffer *buffer, const char *expected)
{
    struct buffer hex = {0};
    for (size_t i = 0; i < buffer->size; i++)
        buffer_put_format(&hex, "%02x", (unsigned char)buffer->data[i]);
    buffer_put_char(&hex, '\0');
    cr_assert_str_eq(hex.data, expected);
    buffer_finish(&hex);
}
