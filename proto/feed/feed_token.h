// feed_token.h - the token by which a datagram names a registration. A token is 128 random bits.
// Only its hash is stored, so neither the store nor a backup of it gives access. Pure.
#ifndef DIORAMA_PROTO_FEED_FEED_TOKEN_H
#define DIORAMA_PROTO_FEED_FEED_TOKEN_H

#include <stdbool.h>

#include "proto/base/text.h"

enum {
    FEED_TOKEN_SIZE = 23,      // 22 characters of base64url and NUL
    FEED_TOKEN_HASH_SIZE = 33, // 32 hex digits of BLAKE2b and NUL
    CHALLENGE_SIZE = 33,       // 32 hex digits that a device sends back, and NUL
    // A token expires when its registration ends. "expires_s" is the largest number that every
    // client can hold.
    FEED_TOKEN_EXPIRES_S = 0x7fffffff,
};

// What stands in the place of a token where a tracker that the operator named moves an object. It
// has the size of neither a token nor a hash, so no datagram of a device can say it.
#define FEED_TOKEN_OF_TRACKER "tracker"

void feed_token_new(char ret_token[FEED_TOKEN_SIZE]);

// The hash of a token; false if the text (or NULL) cannot be a token.
bool feed_token_hash(const struct text *token, char ret_hash[FEED_TOKEN_HASH_SIZE]);

#endif
