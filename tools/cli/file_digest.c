// file_digest.c - hashes a file in pieces by libsodium.
#include "tools/cli/file_digest.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "tools/cli/file_text.h"

enum { PIECE_BYTES = 1 << 20 };

fallible
file_digest(const char *path, char ret_digest[FILE_DIGEST_BYTES])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    FILE *file = fopen(path, "re");
    if (!file)
        return file_text_failed(path);
    unsigned char *piece = memory_take(PIECE_BYTES);
    crypto_hash_sha256_init(&state);
    for (size_t size; (size = fread(piece, 1, PIECE_BYTES, file)) > 0;)
        crypto_hash_sha256_update(&state, piece, size);
    enum error error = ferror(file) ? file_text_failed(path) : OK;
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(ret_digest, FILE_DIGEST_BYTES, hash, sizeof hash);
    free(piece);
    fclose(file);
    return error;
}
