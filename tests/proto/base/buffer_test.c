// buffer_test.c - bytes that grow at the end.
#include "proto/base/buffer.h"

#include <criterion/criterion.h>

static void
expect(const struct buffer *buffer, const char *chars)
{
    cr_assert_eq(buffer->size, strlen(chars), "%zu bytes", buffer->size);
    cr_assert_arr_eq(buffer->data, chars, strlen(chars));
}

Test(buffer, puts_follow_each_other)
{
    struct buffer buffer = {0};
    buffer_put_chars(&buffer, "ab");
    buffer_put_char(&buffer, 'c');
    buffer_put(&buffer, "de", 2);
    buffer_put(&buffer, NULL, 0);
    buffer_put_format(&buffer, "%d-%s", 42, "x");
    expect(&buffer, "abcde42-x");
    buffer_finish(&buffer);
}

Test(buffer, a_format_longer_than_the_room_is_whole)
{
    struct buffer buffer = {0};
    buffer_reserve(&buffer, 1);
    while (buffer.capacity - buffer.size > 3)
        buffer_put_char(&buffer, '.');
    size_t before = buffer.size;
    buffer_put_format(&buffer, "%06d", 123);
    cr_assert_eq(buffer.size, before + 6);
    cr_assert_arr_eq(buffer.data + before, "000123", 6);
    buffer_finish(&buffer);
}

Test(buffer, a_format_that_fits_but_for_its_nul_is_whole)
{
    struct buffer buffer = {0};
    buffer_reserve(&buffer, 1);
    while (buffer.capacity - buffer.size > 3)
        buffer_put_char(&buffer, '.');
    size_t before = buffer.size;
    buffer_put_format(&buffer, "%s", "abc");
    cr_assert_arr_eq(buffer.data + before, "abc", 3);
    buffer_finish(&buffer);
}

Test(buffer, bytes_of_any_value_are_kept)
{
    struct buffer buffer = {0};
    for (int i = 0; i < 100000; i++)
        buffer_put_char(&buffer, (char)(i & 255));
    cr_assert_eq(buffer.size, 100000);
    for (int i = 0; i < 100000; i++)
        cr_assert_eq((unsigned char)buffer.data[i], i & 255);
    buffer_finish(&buffer);
}

Test(buffer, clearing_keeps_the_memory)
{
    struct buffer buffer = {0};
    buffer_put_chars(&buffer, "first");
    const char *data = buffer.data;
    buffer_clear(&buffer);
    buffer_put_chars(&buffer, "2nd");
    cr_assert_eq(buffer.data, data);
    expect(&buffer, "2nd");
    buffer_finish(&buffer);
}

Test(buffer, resting_keeps_a_small_buffer)
{
    struct buffer buffer = {0};
    buffer_put_chars(&buffer, "first");
    const char *data = buffer.data;
    buffer_rest(&buffer, buffer.capacity);
    cr_assert_eq(buffer.data, data);
    cr_assert_eq(buffer.size, 0);
    buffer_finish(&buffer);
}

Test(buffer, resting_gives_a_large_buffer_back)
{
    struct buffer buffer = {0};
    buffer_put_chars(&buffer, "first");
    buffer_rest(&buffer, buffer.capacity - 1);
    cr_assert_null(buffer.data);
    cr_assert_eq(buffer.size, 0);
}

Test(buffer, finishing_leaves_an_empty_buffer)
{
    struct buffer buffer = {0};
    buffer_put_chars(&buffer, "x");
    buffer_finish(&buffer);
    cr_assert_null(buffer.data);
    cr_assert_eq(buffer.size, 0);
    buffer_finish(&buffer);
}
