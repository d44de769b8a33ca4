// address_challenges.h - proofs that whoever has a feed token receives what is sent to an address
// (live-feed, "Who may be sent to"). A challenge is a keyed hash of endpoint, token and time, so
// nothing is kept until it comes back. What may be sent to addresses that proved nothing is counted
// for each of them. Pure: the time is passed in; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_ADDRESS_CHALLENGES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_ADDRESS_CHALLENGES_H

#include "actors/udp/udp_endpoint.h"
#include "proto/feed/feed_token.h"

enum {
    CHALLENGE_SLICE_MS = 30000,  // a challenge is good in the slice that it is of and the next
    CHALLENGES_PER_ADDRESS = 10, // in any CHALLENGES_WITHIN_MS, whatever asks for them
    CHALLENGES_WITHIN_MS = 60000,
    CHALLENGED_ADDRESSES = 16384, // at a time; challenges to further ones are not sent
};

typedef struct address_challenges address_challenges_t;

// With a random key: what was challenged before this start proves nothing.
address_challenges_t *address_challenges_create(void);
// Accepts NULL.
void address_challenges_destroy(address_challenges_t **self);

void address_challenges_make(const address_challenges_t *self, const union udp_endpoint *endpoint,
                             const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                             char ret_challenge[CHALLENGE_SIZE]);

// Whether this is the challenge that was sent there not long ago.
bool address_challenges_check(const address_challenges_t *self, const union udp_endpoint *endpoint,
                              const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                              const char challenge[CHALLENGE_SIZE]);

// Whether one more challenge may be sent to the address, whatever the port; counts it.
bool address_challenges_spend(address_challenges_t *self, const union udp_endpoint *endpoint,
                              uint64_t now_ms);

#endif
