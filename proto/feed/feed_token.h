// feed_token.h - what names a registration in datagrams (live-feed). A token is 128 random bits;
// all that is kept of it is its hash, so neither the store nor its backup lets anybody in. Pure.
#ifndef DIORAMA_PROTO_FEED_FEED_TOKEN_H
#define DIORAMA_PROTO_FEED_FEED_TOKEN_H

#include <stdbool.h>
#include "proto/base/text.h"

enum {
    FEED_TOKEN_SIZE = 23,      // 22 characters of base64url and NUL
    FEED_TOKEN_HASH_SIZE = 33, // 32 hex digits of BLAKE2b and NUL
    CHALLENGE_SIZE = 33,       // 32 hex digits that a device sends back, and NUL
    // A token ends with its registration and not before: "expires_s" is the largest number that
    // any client can hold.
    FEED_TOKEN_EXPIRES_S = 0x7fffffff,
};

void feed_token_new(char ret_token[FEED_TOKEN_SIZE]);

// The hash of a token; false where it cannot be one (NULL neither).
bool feed_token_hash(const struct text *token, char ret_hash[FEED_TOKEN_HASH_SIZE]);

#endif
