// challenge_retries.h - challenges that nobody asked for, to the unproven addresses that
// registrations name: a second after the first one, and three seconds after that. Pure: the time is
// passed in; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGE_RETRIES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGE_RETRIES_H

#include "actors/streamer/admission/address_challenges.h"

enum {
    CHALLENGE_RETRY_TIMES = 2, // after the first challenge
    CHALLENGE_RETRIES_WAITING =
        4096, // waiting for each of them; devices beyond that say HELLO themselves
};

struct challenge_retry {
    union udp_endpoint endpoint;
    char token_hash[FEED_TOKEN_HASH_SIZE]; // of the registration that names it
    uint64_t due_ms;
};

// Embedded; all zero has none. What waits for one of the repeats waits equally long, so each line
// is in the order of time.
struct challenge_retries {
    struct challenge_retry *lines[CHALLENGE_RETRY_TIMES]; // rings
    unsigned first[CHALLENGE_RETRY_TIMES];
    unsigned count[CHALLENGE_RETRY_TIMES];
};

void challenge_retries_finish(struct challenge_retries *self);

// The first challenge has just left.
void challenge_retries_add(struct challenge_retries *self, const union udp_endpoint *endpoint,
                           const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms);

// Takes one that is due; false where there is none. Its next repeat, if any, waits from now on.
bool challenge_retries_take(struct challenge_retries *self, uint64_t now_ms,
                            struct challenge_retry *ret_retry);

// When the next one is due; UINT64_MAX where there is none.
uint64_t challenge_retries_due_ms(const struct challenge_retries *self);

#endif
