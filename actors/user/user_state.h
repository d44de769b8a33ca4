// user_state.h - the state of the user actor.
#ifndef DIORAMA_ACTORS_USER_USER_STATE_H
#define DIORAMA_ACTORS_USER_USER_STATE_H

#include "actors/repository/repository.h"
#include "actors/runtime/record_walk.h"
#include "actors/user/login_throttle.h"
#include "actors/user/password_queue.h"
#include "actors/user/user_actor.h"
#include "actors/user/user_family.h"
#include "proto/base/limits.h"
#include "proto/base/rate.h"

// The kinds of records that it keeps, by their place in the repository; the key of tokens is read
// first. Users and claims are read when somebody asks for them.
enum user_kind { SECRETS, USERS, SESSIONS, CLAIMS, LIMITS, LEAVERS, USER_KINDS };

struct user_actor {
    struct repository repository;
    sessions_t *sessions; // the table that gateway workers read; borrowed
    login_throttle_t *throttle;
    rates_t *sign_ups; // by peer
    budget_book_t *book;
    bool auth_enabled;
    uint64_t epoch;      // of this start of the server
    size_t password_min; // characters
    unsigned passwords;  // threads that hash
    password_t *hashers[MAX_PASSWORDS];
    unsigned hash_count;
    struct hashing hashes[PASSWORD_QUEUE_MOST];
    uint64_t next_hash;
    uint64_t rotated_us; // when the key of tokens was replaced: sessions of before have ended
    bool is_releasing;   // device keys of a user who is gone are given up
    uint64_t release_ms; // not before that time
    struct record_walk expired; // sessions that have ended are looked for
    uint64_t expire_ms;         // when that begins again
};

static inline struct user_actor *
user_actor_of(actor_t *actor)
{
    return (struct user_actor *)(void *)actor;
}

#endif
