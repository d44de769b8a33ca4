// challenge_retries.h - challenges that nobody asked for, to the unproven addresses that
// registrations name: a second after the first one, and three seconds after that. Pure: the time is
// passed in; used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGE_RETRIES_H
#define DIORAMA_ACTORS_STREAMER_ADMISSION_CHALLENGE_RETRIES_H

#include "actors/streamer/admission/address_challenges.h"

enum {
    INVITATION_REPEATS = 2, // after the first challenge
    INVITATIONS = 4096,     // waiting for each of them; devices beyond that say HELLO themselves
};

struct invitation {
    union endpoint endpoint;
    char token_hash[FEED_TOKEN_HASH_SIZE]; // of the registration that names it
    uint64_t due_ms;
};

// Embedded; all zero has none. What waits for one of the repeats waits equally long, so each line
// is in the order of time.
struct invitations {
    struct invitation *lines[INVITATION_REPEATS]; // rings
    unsigned first[INVITATION_REPEATS];
    unsigned count[INVITATION_REPEATS];
};

void invitations_finish(struct invitations *self);

// The first challenge has just left.
void invitations_add(struct invitations *self, const union endpoint *endpoint,
                     const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms);

// Takes one that is due; false where there is none. Its next repeat, if any, waits from now on.
bool invitations_take(struct invitations *self, uint64_t now_ms, struct invitation *ret_invitation);

// When the next one is due; UINT64_MAX where there is none.
uint64_t invitations_due_ms(const struct invitations *self);

#endif
