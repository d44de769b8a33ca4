// percent_test.c - keys inside URLs and topics.
#include "tools/cli/percent.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static void
assert_encoded(void (*put)(struct buffer *, const char *), const char *chars, const char *expected)
{
    owned(buffer_finish) struct buffer out = {0};
    put(&out, chars);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

Test(percent, segment_keeps_unreserved_characters_only)
{
    assert_encoded(percent_put_segment, "Room-1_a.b~", "Room-1_a.b~");
    assert_encoded(percent_put_segment, "a b?c#d&e%f+\xc3\xa9", "a%20b%3Fc%23d%26e%25f%2B%C3%A9");
}

Test(percent, word_loses_dots_percents_and_control_characters_only)
{
    assert_encoded(percent_put_word, "room 1.a%b\x7f\x01", "room 1%2Ea%25b%7F%01");
    assert_encoded(percent_put_word, "\xc3\xa9/?", "\xc3\xa9/?");
}
