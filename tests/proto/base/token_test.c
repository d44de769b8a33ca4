// token_test.c - random tokens and their hashes.
#include "proto/base/token.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const unsigned char key[TOKEN_KEY_BYTES] = {1, 2, 3};

Test(token, has_as_many_characters_as_fit)
{
    char short_token[23], long_token[44];
    token_draw(short_token, sizeof short_token);
    token_draw(long_token, sizeof long_token);
    cr_assert_eq(strlen(short_token), 22);
    cr_assert_eq(strlen(long_token), 43);
}

Test(token, is_of_base64url)
{
    char token[44];
    token_draw(token, sizeof token);
    cr_assert_eq(strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
                 43);
}

Test(token, two_are_different)
{
    char one[23], other[23];
    token_draw(one, sizeof one);
    token_draw(other, sizeof other);
    cr_assert_str_neq(one, other);
}

// BLAKE2b-512 of "abc", from RFC 7693, appendix A.
Test(token, hash_is_that_of_the_standard)
{
    char hash[129];
    token_digest("abc", 3, NULL, hash, sizeof hash);
    cr_assert_str_eq(hash, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                           "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

Test(token, hash_depends_on_its_key)
{
    char plain[33], keyed[33], again[33];
    token_digest("abc", 3, NULL, plain, sizeof plain);
    token_digest("abc", 3, key, keyed, sizeof keyed);
    token_digest("abc", 3, key, again, sizeof again);
    cr_assert_str_neq(plain, keyed);
    cr_assert_str_eq(keyed, again);
    cr_assert_eq(strlen(keyed), 32);
}

Test(token, parts_are_hashed_with_their_lengths)
{
    const struct token_part parts[] = {{"ab", 2}, {"c", 1}}, others[] = {{"a", 1}, {"bc", 2}};
    const struct token_part whole[] = {{"\2\0\0\0\0\0\0\0ab\1\0\0\0\0\0\0\0c", 19}};
    unsigned char hash[16], other[16];
    char words[33], expected[33];
    token_digest_parts(parts, 2, hash, sizeof hash);
    token_digest_parts(others, 2, other, sizeof other);
    cr_assert_neq(memcmp(hash, other, sizeof hash), 0);
    token_digest(whole[0].data, whole[0].size, NULL, expected, sizeof expected);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(words + 2 * i, 3, "%02x", hash[i]);
    cr_assert_str_eq(words, expected);
}
