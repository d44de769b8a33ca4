// http_client_test.c - keys in the URLs of requests.
#include "tools/cli/http_client.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static void
assert_escaped(const char *chars, const char *expected)
{
    owned(buffer_finish) struct buffer out = {0};
    http_client_escape(&out, chars);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

Test(http_client, unreserved_characters_stay)
{
    assert_escaped("Room-1_a.b~", "Room-1_a.b~");
}

Test(http_client, other_characters_are_percent_encoded)
{
    assert_escaped("a b?c#d&e%f+\xc3\xa9/", "a%20b%3Fc%23d%26e%25f%2B%C3%A9%2F");
}

Test(http_client, empty_text_stays_empty)
{
    assert_escaped("", "");
}
