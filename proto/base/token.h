// token.h - random secrets as text, and the hashes of them that are stored instead. Pure.
#ifndef DIORAMA_PROTO_BASE_TOKEN_H
#define DIORAMA_PROTO_BASE_TOKEN_H

#include <stddef.h>

enum { TOKEN_KEY_BYTES = 32 };

// Draws a token of size - 1 characters of base64url, as many random bytes as these hold, and NUL.
// `size` is at most 87 (64 bytes).
void token_draw(char *ret_token, size_t size);

// Writes the hash (BLAKE2b) of `data` as size - 1 hex digits, an even number from 32 to 128, and
// NUL. `key` has TOKEN_KEY_BYTES, or is NULL: a hash without a key.
void token_digest(const void *data, size_t data_size, const unsigned char *key, char *ret_hash,
                  size_t size);

// One of several parts of what is hashed together.
struct token_part {
    const void *data;
    size_t size;
};

// Writes the hash (BLAKE2b) of the parts, `size` bytes, 16 to 64. Each part is hashed with its
// length, so that no two lists of parts have one hash.
void token_digest_parts(const struct token_part *parts, size_t count, void *ret_hash, size_t size);

#endif
