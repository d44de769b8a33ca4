// session_report.c - tells a caller who they are, what they may do, and which server this is. Runs
// on the user actor's thread.
#include "actors/user/session_report.h"

#include "actors/repository/repository_fetch.h"
#include "actors/user/user_state.h"
#include "proto/base/clock.h"
#include "proto/base/version.h"
#include "proto/records/user.h"

// The user and the rest of the session. A session that has just ended is not there any more.
static fallible
tell_user(struct repository *repository, struct message *message, struct record *answer)
{
    const frozen_t *user;
    struct arena *arena = &message->arena;
    TRY(repository_fetch(repository, USERS, text_from(arena, message->caller.user), message,
                         &user));
    const frozen_t *session =
        repository_find(repository, SESSIONS, text_from(arena, message->caller.session));
    if (!user || !session)
        return OK;
    const struct user_session *stored =
        (const struct user_session *)(const void *)frozen_record(session);
    int64_t left_us = stored->expires_us - (int64_t)clock_calendar_us();
    struct session_report *report = (struct session_report *)(void *)answer;
    report->user = frozen_record(user);
    record_mark(answer, SESSION_REPORT_USER);
    record_set_integer(answer, SESSION_REPORT_EXPIRES, left_us > 0 ? left_us / 1000000 : 0);
    return OK;
}

enum error
session_report(actor_t *actor, struct message *message)
{
    struct user_actor *self = user_actor_of(actor);
    struct record *answer = record_new(&message->arena, &session_report_schema);
    struct session_report *report = (struct session_report *)(void *)answer;
    enum caller_role role = message->caller.role;
    report->auth = self->auth_enabled;
    report->is_admin = role == CALLER_ADMIN || role == CALLER_TRUSTED;
    record_mark(answer, SESSION_REPORT_AUTH);
    record_mark(answer, SESSION_REPORT_ADMIN);
    record_set_text(answer, SESSION_REPORT_VERSION, text_from(&message->arena, version_text()));
    record_set_integer(answer, SESSION_REPORT_EPOCH, (int64_t)self->epoch);
    TRY(tell_user(&self->repository, message, answer));
    reply_add_loose(message, &session_report_schema, answer);
    return OK;
}
