// address_challenges.h - proofs that whoever has a feed token receives what is sent to an address
// (live-feed, "Who may be sent to"). A challenge is a keyed hash of endpoint, token and time, so
// nothing is kept until it comes back. What may be sent to addresses that proved nothing is counted
// for each of them. Pure: the time is passed in; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_ADDRESS_CHALLENGES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_ADDRESS_CHALLENGES_H

#include "proto/feed/feed_token.h"
#include "actors/udp/udp_endpoint.h"

enum {
    CHALLENGE_SLICE_MS = 30000,  // a challenge is good in the slice that it is of and the next
    CHALLENGES_PER_ADDRESS = 10, // in any CHALLENGES_WITHIN_MS, whatever asks for them
    CHALLENGES_WITHIN_MS = 60000,
    CHALLENGED_ADDRESSES = 16384, // at a time; challenges to further ones are not sent
};

typedef struct challenges challenges_t;

// With a random key: what was challenged before this start proves nothing.
challenges_t *challenges_create(void);
// Accepts NULL.
void challenges_destroy(challenges_t **self);

void challenge_of(const challenges_t *self, const union udp_endpoint *endpoint,
                  const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                  char ret_challenge[CHALLENGE_SIZE]);

// Whether this is the challenge that was sent there not long ago.
bool challenge_is_met(const challenges_t *self, const union udp_endpoint *endpoint,
                      const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                      const char challenge[CHALLENGE_SIZE]);

// Whether one more challenge may be sent to the address, whatever the port; counts it.
bool challenges_spend(challenges_t *self, const union udp_endpoint *endpoint, uint64_t now_ms);

#endif
