// accounts.h - what the user actor keeps, and its state; shared by the files that do its work.
#ifndef DIORAMA_ACTORS_USER_ACCOUNTS_H
#define DIORAMA_ACTORS_USER_ACCOUNTS_H

#include "actors/repository/resource.h"
#include "actors/user/login_throttle.h"
#include "actors/user/password_hasher.h"
#include "actors/user/user_actor.h"
#include "actors/user/user_family.h"
#include "proto/base/limits.h"
#include "proto/base/rate.h"
#include "proto/records/user.h"

// The places of its kinds in the repository; users are read before their sessions.
enum user_kind { USERS, SESSIONS, CLAIMS, USER_KINDS };

enum {
    PASSWORD_QUEUE_AT_ONCE = 16,  // that are waited for
    PASSWORD_QUEUE_OF_KNOWN = 32, // for those who logged in from their address before
    PASSWORD_QUEUE_MOST = PASSWORD_QUEUE_OF_KNOWN,
    USER_ENDS = LIMIT_USER_SESSIONS, // sessions that one change of a user may end
};

// A request that waits for its password to be hashed.
struct hashing {
    uint64_t id; // of the work; 0 = free
    struct message *message;
};

struct user_actor {
    struct repository repository;
    sessions_t *sessions;
    login_throttle_t *throttle;
    rates_t *sign_ups; // by peer
    bool auth_enabled;
    unsigned passwords; // threads that hash
    password_t *hashers[MAX_PASSWORDS];
    unsigned hash_count;
    struct hashing hashes[PASSWORD_QUEUE_MOST];
    uint64_t next_hash;
    uint64_t expire_ms; // when expired sessions are looked for again
};

static inline struct user_actor *
users_of(actor_t *actor)
{
    return (struct user_actor *)(void *)actor;
}

extern const struct resource user_resource;

// --- users.c ---
actor_handler user_sign_up;
actor_handler user_find;
actor_handler user_update;
actor_handler user_set_flag; // promote, demote, activate, deactivate
// repository_kind.committed of users.
void user_committed(struct repository *repository, const frozen_t *before, const frozen_t *after);

// --- logins.c ---
actor_handler user_login;
actor_handler user_logout;
void session_committed(struct repository *repository, const frozen_t *before,
                       const frozen_t *after);
// Stages the end of all sessions of a user; there is room for USER_ENDS operations.
void sessions_revoke(struct repository *repository, struct message *message,
                     const struct text *user);
// Stages the end of expired sessions, once in a while.
void sessions_sweep(struct user_actor *self);

// --- hashes.c ---
// Whether one more request may wait.
bool password_queue_have_room(const struct user_actor *self, bool is_known);
// Hashes the password, or compares it with `hash` (NULL = makes one): parks the message and runs
// its handler again from the start when that is done; then OK, and *ret_job borrows from the
// message. Fails with ERR_UNAVAILABLE where it was not done.
fallible password_queue_need(struct user_actor *self, struct message *message,
                             const struct text *password, const char *hash,
                             struct password_job **ret_job);
actor_handler password_queue_done;
void password_queue_finish(struct user_actor *self);

// --- claims.c ---
actor_handler device_claim;
actor_handler device_check;

// --- users_start.c: before anything is read ---
// The key of tokens, the accounts to be closed, the administrator to be made.
fallible user_bootstrap(store_t *store, const struct user_settings *settings);

#endif
