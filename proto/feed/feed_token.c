// feed_token.c - tokens of feeds (feed_token.h). Their hash has no key: nobody can try all tokens
// of 128 bits.

#include "proto/feed/feed_token.h"

#include "proto/base/token.h"

void
feed_token_new(char ret_token[FEED_TOKEN_SIZE])
{
    token_draw(ret_token, FEED_TOKEN_SIZE);
}

bool
feed_token_hash(const struct text *token, char ret_hash[FEED_TOKEN_HASH_SIZE])
{
    if (text_size(token) != FEED_TOKEN_SIZE - 1)
        return false;
    token_digest(token->data, token->size, NULL, ret_hash, FEED_TOKEN_HASH_SIZE);
    return true;
}
