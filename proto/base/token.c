// token.c - tokens drawn and hashed by libsodium (token.h).

#include "proto/base/token.h"

#include <assert.h>
#include <sodium.h>
#include <stdint.h>

enum {
    MOST_BYTES = 64,
    VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
};

void
token_draw(char *ret_token, size_t size)
{
    unsigned char bytes[MOST_BYTES];
    size_t count = (size - 1) * 3 / 4;
    assert(size > 0 && count <= sizeof bytes);
    randombytes_buf(bytes, count);
    sodium_bin2base64(ret_token, size, bytes, count, VARIANT);
    sodium_memzero(bytes, sizeof bytes);
}

void
token_digest(const void *data, size_t data_size, const unsigned char *key, char *ret_hash,
             size_t size)
{
    unsigned char hash[MOST_BYTES];
    size_t count = (size - 1) / 2;
    assert(size % 2 == 1 && count >= crypto_generichash_BYTES_MIN && count <= sizeof hash);
    crypto_generichash(hash, count, data, data_size, key, key ? TOKEN_KEY_BYTES : 0);
    sodium_bin2hex(ret_hash, size, hash, count);
}

void
token_digest_parts(const struct token_part *parts, size_t count, void *ret_hash, size_t size)
{
    crypto_generichash_state state;
    assert(size >= crypto_generichash_BYTES_MIN && size <= MOST_BYTES);
    crypto_generichash_init(&state, NULL, 0, size);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = parts[i].size;
        crypto_generichash_update(&state, (const unsigned char *)&length, sizeof length);
        crypto_generichash_update(&state, parts[i].data, parts[i].size);
    }
    crypto_generichash_final(&state, ret_hash, size);
}
