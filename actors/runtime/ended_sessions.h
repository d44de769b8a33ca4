// ended_sessions.h - whose sessions have ended lately: users who lost access or were erased. A
// request of theirs may still wait in an actor, or be between two slices: what it wrote would come
// behind the walk that ends or erases what they have, and would stay. A user is remembered for as
// long as a request may wait: the actor runs no handler for one that is older. Plain data of one
// actor.
#ifndef DIORAMA_ACTORS_RUNTIME_ENDED_SESSIONS_H
#define DIORAMA_ACTORS_RUNTIME_ENDED_SESSIONS_H

#include "proto/base/table.h"
#include "proto/message/message.h"

// All sessions of the user have ended, later ones too: there is no such user any more.
#define ALL_SESSIONS INT64_MAX

// Embedded. All zero: nobody is noted there.
struct ended_sessions {
    struct table users;                 // struct ended_user by id
    struct ended_user *oldest, *newest; // in the order in which they were noted
    uint64_t kept_ms;
};

// Each user is remembered for `kept_ms`, the longest that a request may wait.
void ended_sessions_init(struct ended_sessions *self, uint64_t kept_ms);
void ended_sessions_finish(struct ended_sessions *self);

// Notes at `now_ms` (clock.h) that the user's sessions with fewer revocations than `before` have
// ended; of several such numbers the largest counts.
void ended_sessions_add(struct ended_sessions *self, const char *user, int64_t before,
                        uint64_t now_ms);

// Forgets who was noted too long before `now_ms` to matter. Takes no time where there is nobody.
void ended_sessions_forget(struct ended_sessions *self, uint64_t now_ms);

// The user's sessions with fewer revocations have ended; 0 = none that matters.
int64_t ended_sessions_before(const struct ended_sessions *self, const char *user);

// Fails with ERR_UNAUTHENTICATED if the session of the caller has ended.
fallible ended_sessions_check(const struct ended_sessions *self, const struct caller *caller);

#endif
