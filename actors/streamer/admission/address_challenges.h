// address_challenges.h - challenges by which the holder of a feed token proves that it receives
// what is sent to an address. A challenge is a keyed hash of endpoint, token and time, so it need
// not be stored. The challenges to each unproven address are counted and limited. Pure: the time is
// passed in; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_ADDRESS_CHALLENGES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_ADDRESS_CHALLENGES_H

#include "actors/udp/udp_endpoint.h"
#include "proto/feed/feed_token.h"

enum {
    CHALLENGE_SLICE_MS = 30000,  // a challenge is valid in its slice of time and the next one
    CHALLENGES_PER_ADDRESS = 10, // in any CHALLENGES_WITHIN_MS
    CHALLENGES_WITHIN_MS = 60000,
    CHALLENGED_ADDRESSES = 16384, // at a time; further ones are sent none
};

typedef struct address_challenges address_challenges_t;

// With a random key, so challenges from before this start are not valid.
address_challenges_t *address_challenges_create(void);
// Accepts NULL.
void address_challenges_destroy(address_challenges_t **self);

void address_challenges_make(const address_challenges_t *self, const union udp_endpoint *endpoint,
                             const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                             char ret_challenge[CHALLENGE_SIZE]);

// Whether this is a challenge that was sent to the endpoint lately.
bool address_challenges_check(const address_challenges_t *self, const union udp_endpoint *endpoint,
                              const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                              const char challenge[CHALLENGE_SIZE]);

// Counts one more challenge to the address (of any port). Returns whether it may be sent.
bool address_challenges_spend(address_challenges_t *self, const union udp_endpoint *endpoint,
                              uint64_t now_ms);

#endif
