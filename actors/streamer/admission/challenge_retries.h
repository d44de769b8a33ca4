// challenge_retries.h - challenges to the unproven addresses of registrations that are sent again:
// 1 s after the first one and 3 s after that. Pure: the time is passed in; used by the streamer's
// thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGE_RETRIES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGE_RETRIES_H

#include "actors/streamer/admission/address_challenges.h"

enum {
    CHALLENGE_RETRY_TIMES = 2,        // after the first challenge
    CHALLENGE_RETRIES_WAITING = 4096, // for each time; further devices must send HELLO
};

struct challenge_retry {
    union udp_endpoint endpoint;
    char token_hash[FEED_TOKEN_HASH_SIZE]; // of the registration
    uint64_t due_ms;
};

// Embedded; all zero is valid and empty. All retries of one line wait equally long, so each line is
// in the order of time.
struct challenge_retries {
    struct challenge_retry *lines[CHALLENGE_RETRY_TIMES]; // rings
    unsigned first[CHALLENGE_RETRY_TIMES];
    unsigned count[CHALLENGE_RETRY_TIMES];
};

void challenge_retries_finish(struct challenge_retries *self);

// The first challenge was just sent.
void challenge_retries_add(struct challenge_retries *self, const union udp_endpoint *endpoint,
                           const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms);

// Takes a retry that is due; false if there is none. If another one follows, it waits from now on.
bool challenge_retries_take(struct challenge_retries *self, uint64_t now_ms,
                            struct challenge_retry *ret_retry);

// When the next retry is due; UINT64_MAX if there is none.
uint64_t challenge_retries_due_ms(const struct challenge_retries *self);

#endif
