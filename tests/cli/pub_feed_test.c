// pub_feed_test.c - keys in the topics of PUB.
#include "tools/cli/pub_feed.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static void
assert_word(const char *chars, const char *expected)
{
    owned(buffer_finish) struct buffer out = {0};
    pub_feed_put_word(&out, chars);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

Test(pub_feed, dots_percents_and_control_characters_are_encoded)
{
    assert_word("room 1.a%b\x7f\x01", "room 1%2Ea%25b%7F%01");
}

Test(pub_feed, other_characters_stay)
{
    assert_word("\xc3\xa9/?", "\xc3\xa9/?");
}
