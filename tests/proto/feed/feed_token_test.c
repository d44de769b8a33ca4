// feed_token_test.c - tokens that name registrations: random, and known by their hashes alone.
#include "proto/feed/feed_token.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"

Test(feed_token, a_token_is_22_characters_that_need_no_escape)
{
    char token[FEED_TOKEN_SIZE];
    feed_token_new(token);
    cr_assert_eq(strlen(token), 22);
    cr_assert_eq(strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
                 22);
}

Test(feed_token, no_two_are_the_same)
{
    char first[FEED_TOKEN_SIZE], second[FEED_TOKEN_SIZE];
    feed_token_new(first);
    feed_token_new(second);
    cr_assert_str_neq(first, second);
}

// The stored hashes of earlier starts must be known again: b2sum -l 128 says the same.
Test(feed_token, its_hash_is_blake2b_of_128_bits)
{
    owned(arena_finish) struct arena arena = {0};
    char hash[FEED_TOKEN_HASH_SIZE];
    cr_assert(feed_token_hash(text_from(&arena, "AAAAAAAAAAAAAAAAAAAAAA"), hash));
    cr_assert_str_eq(hash, "8e110a858144a2f81f7c9fbbd3d28777");
}

Test(feed_token, what_has_another_length_is_none)
{
    owned(arena_finish) struct arena arena = {0};
    char hash[FEED_TOKEN_HASH_SIZE];
    cr_assert(!feed_token_hash(NULL, hash));
    cr_assert(!feed_token_hash(text_from(&arena, ""), hash));
    cr_assert(!feed_token_hash(text_from(&arena, "AAAAAAAAAAAAAAAAAAAAA"), hash));
    cr_assert(!feed_token_hash(text_from(&arena, "AAAAAAAAAAAAAAAAAAAAAAA"), hash));
}
