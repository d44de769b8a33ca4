// feed_token.c - random tokens and their hashes (feed_token.h). No key is needed: nobody can try
// all tokens of 128 bits.

#include "proto/feed/feed_token.h"
#include <sodium.h>

enum {
    TOKEN_BYTES = 16,
    HASH_BYTES = (FEED_TOKEN_HASH_SIZE - 1) / 2,
    TOKEN_VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
};

void
feed_token_new(char ret_token[FEED_TOKEN_SIZE])
{
    unsigned char bytes[TOKEN_BYTES];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2base64(ret_token, FEED_TOKEN_SIZE, bytes, sizeof bytes, TOKEN_VARIANT);
    sodium_memzero(bytes, sizeof bytes);
}

bool
feed_token_hash(const struct text *token, char ret_hash[FEED_TOKEN_HASH_SIZE])
{
    unsigned char hash[HASH_BYTES];
    if (text_size(token) != FEED_TOKEN_SIZE - 1)
        return false;
    crypto_generichash(hash, sizeof hash, (const unsigned char *)token->data, token->size, NULL, 0);
    sodium_bin2hex(ret_hash, FEED_TOKEN_HASH_SIZE, hash, sizeof hash);
    return true;
}
