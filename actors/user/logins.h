// logins.h - sessions begin and end.
#ifndef DIORAMA_ACTORS_USER_LOGINS_H
#define DIORAMA_ACTORS_USER_LOGINS_H

#include "actors/repository/repository.h"
#include "proto/base/limits.h"

struct user_actor;

enum {
    USER_ENDS = LIMIT_USER_SESSIONS, // sessions that one change of a user may end, or change
    SESSION_BYTES = 512,             // more than one takes
};

actor_handler user_login;
actor_handler user_logout;

// Counts a try to prove the password of an account, at the first run of a request. Fails with
// ERR_THROTTLED, or with ERR_UNAVAILABLE where too many passwords are being hashed.
fallible login_take_try(struct user_actor *self, struct message *message,
                        const struct text *username);
// The password was right: the try is not counted.
void login_note_proof(struct user_actor *self, const struct message *message,
                      const struct text *username);

// Whether it is one of an administrator.
bool session_is_admin(const frozen_t *session);
// A change of a session is durable (repository_kind.committed).
void session_committed(struct repository *repository, const frozen_t *before,
                       const frozen_t *after);
// Stages the end of all sessions of a user; there is room for USER_ENDS operations.
void sessions_revoke(struct repository *repository, struct message *message,
                     const struct text *user);
// Stages that all sessions of a user are those of an administrator; there is the same room, and
// SESSION_BYTES for each.
void sessions_promote(struct repository *repository, struct message *message,
                      const struct text *user);
// Stages the end of expired sessions, once in a while; in slices, of which the next one is wanted
// at once while the walk goes on.
void sessions_sweep(struct user_actor *self);
bool sessions_sweep_goes_on(const struct user_actor *self);

#endif
