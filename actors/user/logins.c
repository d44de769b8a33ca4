// logins.c - sessions begin and end. Gateway workers find a session when it is durable, until its
// end is durable. Runs on the user actor's thread.
#include "actors/user/logins.h"

#include <string.h>

#include "actors/user/accounts.h"
#include "actors/user/password_queue.h"
#include "actors/user/user_lookup.h"
#include "actors/user/user_state.h"
#include "actors/user/username.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/token.h"
#include "proto/records/user.h"

enum { SWEEP_MS = 60000, SWEPT_AT_ONCE = 500, ACCOUNT_SIZE = 65 };
// The hash of 32 random bytes that nobody kept: compared with where there is no such user, so that
// the answer takes as long.
static const char dummy_hash[] = "$argon2id$v=19$m=65536,t=2,p=1$87YLPqDbR7MsDim5ocW17Q$"
                                 "fIEBvIyqFQWmrGqCESCjoTlXTCIRkqd3jESwimNWv1U";
#define SESSION_US (UINT64_C(24) * 3600 * 1000000)

static const struct user_session *
session_of(const frozen_t *record)
{
    return (const struct user_session *)(const void *)frozen_record(record);
}

bool
session_is_admin(const frozen_t *session)
{
    return session_of(session)->is_admin;
}

// --- the published table ---

// The session of a user who is deleted or deactivated ends in the same commit; one says itself what
// its user is, so no user is read for it. None is good that began without authentication, when
// anybody could log in as anybody.
static void
publish(struct user_actor *self, const struct user_session *session)
{
    if (self->auth_enabled && session->is_open)
        return;
    struct session shown = {.is_admin = session->is_admin,
                            .expires_us = (uint64_t)session->expires_us,
                            .revocations = session->revocations};
    snprintf(shown.id, sizeof shown.id, "%s", text_chars(session->id));
    snprintf(shown.user, sizeof shown.user, "%s", text_chars(session->user));
    error_ignore(sessions_put(self->sessions, &shown), "its user logs in again");
}

// Of one that was there the role alone changes; where it ended with the key of tokens, it stays so.
void
session_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    struct user_actor *self = user_actor_of(&repository->base);
    if (!after)
        sessions_end(self->sessions, text_chars(session_of(before)->id));
    else if (before)
        sessions_set_admin(self->sessions, text_chars(session_of(after)->id),
                           session_of(after)->is_admin);
    else
        publish(self, session_of(after));
}

void
sessions_revoke(struct repository *repository, struct message *message, const struct text *user)
{
    size_t count;
    const frozen_t **sessions =
        repository_latest_by(repository, SESSIONS, SESSION_USER, user, &message->arena, &count);
    for (size_t i = 0; i < count; i++)
        repository_delete(repository, SESSIONS, sessions[i]);
}

static void
set_admin(struct record *session, bool is_admin)
{
    ((struct user_session *)(void *)session)->is_admin = is_admin;
    record_mark(session, SESSION_ADMIN);
}

void
sessions_promote(struct repository *repository, struct message *message, const struct text *user)
{
    size_t count;
    const frozen_t **sessions =
        repository_latest_by(repository, SESSIONS, SESSION_USER, user, &message->arena, &count);
    for (size_t i = 0; i < count; i++) {
        struct record *after =
            record_copy(&message->arena, &user_session_schema, frozen_record(sessions[i]));
        set_admin(after, true);
        repository_put(repository, SESSIONS, after, sessions[i]);
    }
}

// Whether it has expired, or its token was of a key that was replaced.
static bool
has_ended(const struct user_actor *self, const struct user_session *session, uint64_t now_us)
{
    uint64_t expires_us = (uint64_t)session->expires_us;
    return expires_us <= now_us || expires_us < self->rotated_us + SESSION_US;
}

bool
sessions_sweep_goes_on(const struct user_actor *self)
{
    bool is_busy = staging_is_busy(&self->repository.staging); // its end wakes the actor
    return record_walk_is_under_way(&self->expired) && !is_busy;
}

void
sessions_sweep(struct user_actor *self)
{
    struct repository *repository = &self->repository;
    if (clock_now_ms() < self->expire_ms || repository->base.stopping ||
        !staging_has_room(&repository->staging, room_for_removals(SWEPT_AT_ONCE)))
        return;
    uint64_t now_us = clock_calendar_us();
    const frozen_t *const *sessions;
    size_t count = record_walk_next(&self->expired, repository_records(repository, SESSIONS),
                                    SWEPT_AT_ONCE, &sessions);
    for (size_t i = 0; i < count; i++)
        if (repository_latest(repository, SESSIONS, frozen_key(sessions[i])) &&
            has_ended(self, session_of(sessions[i]), now_us))
            repository_delete(repository, SESSIONS, sessions[i]);
    if (count == 0)
        self->expire_ms = clock_deadline_ms(SWEEP_MS);
}

// --- login ---

static fallible
login_request(const struct message *message, const struct user **ret_request)
{
    if (!message->records || message->records->count == 0)
        return fail(ERR_MISSING, "", "a body is needed");
    const struct user *request = user_of(message->records->items[0]);
    if (text_size(request->username) == 0)
        return fail(ERR_MISSING, "/username", "is needed");
    if (text_size(request->password) == 0)
        return fail(ERR_MISSING, "/password", "is needed");
    *ret_request = request;
    return OK;
}

// What the throttle calls an account: a hash of what names are compared by, so that a name counts
// whole, whatever it contains, and once, whatever its case.
static void
account_name(const struct text *username, char ret_name[ACCOUNT_SIZE])
{
    struct arena arena = {0};
    const struct text *key = username_key(&arena, username);
    token_digest(text_bytes(key), text_size(key), NULL, ret_name, ACCOUNT_SIZE);
    arena_finish(&arena);
}

// A try for which there is no room is not counted.
static fallible
find_room(struct user_actor *self, const struct message *message, const char *account,
          uint64_t now_ms)
{
    const char *peer = message->caller.peer;
    if (password_queue_have_room(self, login_throttle_knows(self->throttle, account, peer, now_ms)))
        return OK;
    login_throttle_forget(self->throttle, account, peer, now_ms);
    return fail(ERR_UNAVAILABLE, "", "too many log in at the same time");
}

fallible
login_take_try(struct user_actor *self, struct message *message, const struct text *username)
{
    char account[ACCOUNT_SIZE];
    const char *peer = message->caller.peer;
    uint64_t now_ms = clock_now_ms();
    if (message->parcel)
        return OK;
    account_name(username, account);
    uint64_t wait_ms = login_throttle_try(self->throttle, account, peer, now_ms);
    if (wait_ms) {
        record_set_integer(&reply_envelope(message)->base, ENVELOPE_RETRY_AFTER_S,
                           rate_wait_s(wait_ms));
        return fail(ERR_THROTTLED, "", "too many attempts; try again in %u s",
                    rate_wait_s(wait_ms));
    }
    return find_room(self, message, account, now_ms);
}

static void
destroy_nothing(struct parcel *tried)
{
    (void)tried;
}

// The work of every login whose try is counted, while its user is read: it runs again then.
static struct parcel tried = {.destroy = destroy_nothing};

// The same once, for a request that runs again before its hash is asked for.
static fallible
take_try_once(struct user_actor *self, struct message *message, const struct text *username)
{
    char account[ACCOUNT_SIZE];
    if (!message->work) {
        TRY(login_take_try(self, message, username));
        message->work = &tried;
        return OK;
    }
    if (message->parcel) // it has its place in the queue
        return OK;
    account_name(username, account);
    return find_room(self, message, account, clock_now_ms());
}

void
login_note_proof(struct user_actor *self, const struct message *message,
                 const struct text *username)
{
    char account[ACCOUNT_SIZE];
    account_name(username, account);
    login_throttle_succeed(self->throttle, account, message->caller.peer, clock_now_ms());
}

static fallible
check_password(struct user_actor *self, struct message *message, const struct user *request,
               const struct user *user)
{
    struct password_job *job;
    bool has_hash = user && text_size(user->hash);
    TRY(password_queue_need(self, message, request->password,
                            has_hash ? text_chars(user->hash) : dummy_hash, &job));
    // It was compared with the hash that the user had before it was queued.
    if (!has_hash || !user->is_active || !job->matches || !text_is(user->hash, job->hash))
        return fail(ERR_UNAUTHENTICATED, "", "username or password is wrong");
    if (message->progress++ == 0)
        login_note_proof(self, message, request->username);
    return OK;
}

static struct record *
new_session(struct user_actor *self, struct message *message, const struct user *user)
{
    char token[SESSION_TOKEN_SIZE], id[SESSION_ID_SIZE];
    struct record *record = record_new(&message->arena, &user_session_schema);
    session_token_new(token);
    sessions_id(self->sessions, token, id);
    record_set_text(record, SESSION_ID, text_from(&message->arena, id));
    record_set_text(record, SESSION_USER, user->id);
    record_set_integer(record, SESSION_EXPIRES, (int64_t)(clock_calendar_us() + SESSION_US));
    ((struct user_session *)(void *)record)->is_open = !self->auth_enabled;
    record_mark(record, SESSION_OPEN);
    set_admin(record, user->is_admin);
    record_set_integer(record, SESSION_REVOCATIONS, user->revocations);
    record_set_text(&reply_envelope(message)->base, ENVELOPE_TOKEN,
                    text_from(&message->arena, token));
    sodium_memzero(token, sizeof token);
    return record;
}

// A user who has used up the budget of sessions: the one that expires first makes room.
static void
make_place(struct user_actor *self, struct message *message, const struct user *user)
{
    struct repository *repository = &self->repository;
    int64_t most = budget_book_limit(self->book, BUDGET_SESSIONS, text_chars(user->id));
    size_t count;
    const frozen_t **sessions =
        repository_latest_by(repository, SESSIONS, SESSION_USER, user->id, &message->arena, &count);
    if (count < (size_t)(most ? most : LIMIT_USER_SESSIONS))
        return;
    const frozen_t *first = sessions[0];
    for (size_t i = 1; i < count; i++)
        if (session_of(sessions[i])->expires_us < session_of(first)->expires_us)
            first = sessions[i];
    repository_delete(repository, SESSIONS, first);
}

enum error
user_login(actor_t *actor, struct message *message)
{
    struct user_actor *self = user_actor_of(actor);
    struct repository *repository = &self->repository;
    const struct user *request, *user;
    TRY(login_request(message, &request));
    TRY(take_try_once(self, message, request->username));
    TRY(user_lookup_by_name(self, message, request->username, &user));
    if (user) // the audit log tells whose login it was
        record_set_text(&message->params->base, PARAMS_USER, text_copy(&message->arena, user->id));
    TRY(check_password(self, message, request, user));
    if (record_set_count(repository_records(repository, SESSIONS)) >= LIMIT_SESSIONS)
        return fail(ERR_UNAVAILABLE, "", "there are %d sessions already", LIMIT_SESSIONS);
    struct record *session = new_session(self, message, user);
    struct room room = room_for_records(1, record_frozen_size(&user_session_schema, session));
    TRY(repository_make_room(repository, message, room_for_both(room, room_for_removals(1))));
    make_place(self, message, user);
    repository_put(repository, SESSIONS, session, NULL);
    return repository_answer_durable(repository, message);
}

enum error
user_logout(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const frozen_t *session = repository_latest(
        repository, SESSIONS, text_from(&message->arena, message->caller.session));
    if (!session)
        return OK;
    TRY(repository_make_room(repository, message, room_for_removals(1)));
    repository_delete(repository, SESSIONS, session);
    return repository_answer_durable(repository, message);
}
