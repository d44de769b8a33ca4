// percent_test.c - percent-encoding of URIs.
#include "gateway/http/percent.h"

#include <criterion/criterion.h>

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(percent, .fini = finish);

static void
assert_decoded(const char *encoded, enum percent_place place, const char *expected)
{
    const struct text *text;
    cr_assert_eq(percent_decode(&arena, encoded, strlen(encoded), place, &text), OK, "%s", encoded);
    cr_assert_str_eq(text_chars(text), expected);
}

static void
assert_refused(const char *encoded)
{
    const struct text *text;
    cr_assert_eq(percent_decode(&arena, encoded, strlen(encoded), PERCENT_PATH, &text),
                 ERR_MALFORMED, "%s", encoded);
}

Test(percent, two_hex_digits_are_one_byte)
{
    assert_decoded("a%20b%2Fc%c3%A9", PERCENT_PATH, "a b/c\xc3\xa9");
    assert_decoded("%2525", PERCENT_PATH, "%25"); // decoded once
}

Test(percent, plus_is_a_space_in_a_query_only)
{
    assert_decoded("a+b", PERCENT_QUERY, "a b");
    assert_decoded("a+b", PERCENT_PATH, "a+b");
}

Test(percent, percent_sign_without_two_hex_digits_is_refused)
{
    assert_refused("%");
    assert_refused("%2");
    assert_refused("%2g");
    assert_refused("a%g0");
}

Test(percent, encoded_nul_is_refused)
{
    assert_refused("a%00b");
}

Test(percent, all_but_unreserved_characters_are_encoded)
{
    percent_encode(&out, text_from(&arena, "aZ09-._~ /%\xc3\xa9"));
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "aZ09-._~%20%2F%25%C3%A9");
}
