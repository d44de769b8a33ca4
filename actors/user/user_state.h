// user_state.h - the state of the user actor.
#ifndef DIORAMA_ACTORS_USER_USER_STATE_H
#define DIORAMA_ACTORS_USER_USER_STATE_H

#include "actors/repository/repository.h"
#include "actors/runtime/record_walk.h"
#include "actors/user/login_throttle.h"
#include "actors/user/password_queue.h"
#include "actors/user/user_actor.h"
#include "actors/user/user_family.h"
#include "actors/user/user_lookup.h"
#include "proto/base/limits.h"
#include "proto/base/rate.h"

// The kinds of records that it keeps, by their place in the repository; the key of tokens is read
// first, users before their sessions.
enum user_kind { SECRETS, USERS, SESSIONS, CLAIMS, LIMITS, USER_KINDS };

struct user_actor {
    struct repository repository;
    sessions_t *sessions; // the table that gateway workers read; borrowed
    login_throttle_t *throttle;
    rates_t *sign_ups; // by peer
    budget_book_t *book;
    struct secondary_index lookups[USER_LOOKUPS]; // of users
    bool auth_enabled;
    uint64_t epoch;      // of this start of the server
    size_t password_min; // characters
    unsigned passwords;  // threads that hash
    password_t *hashers[MAX_PASSWORDS];
    unsigned hash_count;
    struct hashing hashes[PASSWORD_QUEUE_MOST];
    uint64_t next_hash;
    uint64_t rotated_us;    // when the key of tokens was replaced: sessions of before have ended
    bool claims_are_due;    // device keys of users who are not there are looked for
    bool has_found_orphans; // in this walk through them
    struct record_walk claims;
    struct record_walk expired; // sessions that have ended are looked for
    uint64_t expire_ms;         // when that begins again
};

static inline struct user_actor *
user_actor_of(actor_t *actor)
{
    return (struct user_actor *)(void *)actor;
}

#endif
