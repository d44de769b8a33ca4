// user_actor_test.c - the user actor with its store, committer and hashing thread: what is durable
// decides who is in. System tests show what clients see of it (users, login, revocation).
#include "actors/user/user_actor.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/records/effect.h"
#include "proto/records/user.h"
#include "tests/support/user_service.h"

TestSuite(user_actor, .init = user_service_begin, .fini = user_service_end, .timeout = 120);

static enum error
change(enum operation operation, const char *user)
{
    return user_service_outcome(user_request_about(operation, NULL, user));
}

// Most find the line of passwords full; they count all the same.
Test(user_actor, sign_ups_are_counted_by_the_network_of_an_ipv6_address)
{
    enum { SIGN_UPS = 260 }; // 200 at once, then ten a second
    unsigned throttled = 0;
    for (unsigned i = 0; i < SIGN_UPS; i++) {
        char name[16];
        snprintf(name, sizeof name, "user%u", i);
        struct message *message = user_request_of(SIGN_UP, name, USER_SERVICE_PASSWORD);
        message->id = 1000 + i;
        snprintf(message->caller.peer, sizeof message->caller.peer, "2001:db8:0:1::%x", i);
        cr_assert_eq(mailbox_send(user_service.asker, "user", &message), OK);
    }
    for (unsigned i = 0; i < SIGN_UPS; i++) {
        owned(message_destroy) struct message *answer =
            mailbox_receive(user_service.asker, USER_SERVICE_WAIT_MS);
        cr_assert_not_null(answer);
        throttled += answer->reply.fault.error == ERR_THROTTLED;
    }
    cr_assert_gt(throttled, 0);
}

Test(user_actor, a_session_is_found_when_its_login_is_answered_and_after_a_restart)
{
    char token[SESSION_TOKEN_SIZE];
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), OK);
    cr_assert(user_service_is_in(token));
    user_service_stop();
    user_service_start();
    cr_assert(user_service_is_in(token));
}

// The request waits for its hash when the session of who sent it ends.
static enum error
outcome_behind_the_end_of_its_session(struct message *message, const char *token)
{
    struct session session;
    cr_assert(sessions_find(user_service.sessions, token, 0, &session));
    struct message *logout = user_request(LOGOUT, NULL, message->caller.role, message->caller.user);
    snprintf(message->caller.session, sizeof message->caller.session, "%s", session.id);
    snprintf(logout->caller.session, sizeof logout->caller.session, "%s", session.id);
    message->id = 1000; // of two that ask at once
    cr_assert_eq(mailbox_send(user_service.asker, "user", &message), OK);
    cr_assert_eq(user_service_outcome(logout), OK);
    owned(message_destroy) struct message *answer =
        mailbox_receive(user_service.asker, USER_SERVICE_WAIT_MS);
    cr_assert_not_null(answer);
    return answer->reply.fault.error;
}

Test(user_actor, an_administrator_whose_session_ends_while_a_password_is_hashed_makes_nobody)
{
    char token[SESSION_TOKEN_SIZE];
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), OK);
    struct message *message = user_request_of(SIGN_UP, "mara", USER_SERVICE_PASSWORD);
    cr_assert_eq(ERR_UNAUTHENTICATED, outcome_behind_the_end_of_its_session(message, token));
    cr_assert_eq(ERR_UNAUTHENTICATED, user_service_log_in("mara", USER_SERVICE_PASSWORD, token));
}

Test(user_actor, a_password_that_is_hashed_when_the_session_of_its_user_ends_is_not_set)
{
    char user[USER_ID_SIZE], token[SESSION_TOKEN_SIZE];
    user_service_sign_up("mara", user);
    cr_assert_eq(user_service_log_in("mara", USER_SERVICE_PASSWORD, token), OK);
    struct message *message = user_request_of(USER_UPDATE, "mara", "battery staple");
    message->caller.role = CALLER_USER;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", user);
    record_set_text(&message->params->base, PARAMS_USER, text_from(&message->arena, user));
    record_set_text(message->records->items[0], USER_CURRENT,
                    text_from(&message->arena, USER_SERVICE_PASSWORD));
    cr_assert_eq(ERR_UNAUTHENTICATED, outcome_behind_the_end_of_its_session(message, token));
    cr_assert_eq(OK, user_service_log_in("mara", USER_SERVICE_PASSWORD, token));
}

Test(user_actor, a_login_that_is_not_durable_lets_nobody_in)
{
    char token[SESSION_TOKEN_SIZE] = "";
    user_service_set_faults("unavailable=1");
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), ERR_UNAVAILABLE);
    cr_assert_eq(sessions_count(user_service.sessions), 0);
    user_service_set_faults("latency=0");
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), OK);
    cr_assert_eq(sessions_count(user_service.sessions), 1);
}

Test(user_actor, a_revocation_that_is_not_durable_is_refused_and_none_happened)
{
    char token[SESSION_TOKEN_SIZE], user[USER_ID_SIZE];
    user_service_sign_up("ann", user);
    cr_assert_eq(user_service_log_in("ann", USER_SERVICE_PASSWORD, token), OK);
    user_service_set_faults("full=1");
    cr_assert_eq(change(USER_DEACTIVATE, user), ERR_STORAGE_FULL);
    cr_assert(user_service_is_in(token));
    user_service_set_faults("latency=0");
    cr_assert_eq(change(USER_DEACTIVATE, user), OK);
    cr_assert_not(user_service_is_in(token));
    user_service_stop();
    user_service_start();
    cr_assert_not(user_service_is_in(token));
}

Test(user_actor, what_ends_sessions_and_what_does_not)
{
    static const struct {
        enum operation operation;
        bool ends;
    } rows[] = {{USER_PROMOTE, false},   {USER_DEMOTE, true},    {USER_ACTIVATE, false},
                {USER_DEACTIVATE, true}, {USER_ACTIVATE, false}, {USER_DELETE, true}};
    char token[SESSION_TOKEN_SIZE] = "", user[USER_ID_SIZE];
    user_service_sign_up("ann", user);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!user_service_is_in(token) && rows[i].operation != USER_ACTIVATE)
            cr_assert_eq(user_service_log_in("ann", USER_SERVICE_PASSWORD, token), OK);
        bool was_in = user_service_is_in(token);
        cr_assert_eq(change(rows[i].operation, user), OK);
        cr_assert_eq(user_service_is_in(token), was_in && !rows[i].ends, "row %zu", i);
    }
}

Test(user_actor, who_is_known_logs_in_while_many_passwords_are_changed)
{
    enum { CHANGES = 40 };
    char token[SESSION_TOKEN_SIZE], name[16];
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), OK);
    for (int i = 0; i < CHANGES; i++) {
        snprintf(name, sizeof name, "user%d", i);
        struct message *message = user_request_of(SIGN_UP, name, USER_SERVICE_PASSWORD);
        message->id = UINT64_MAX; // nobody reads its answer
        cr_assert_eq(mailbox_send(user_service.asker, "user", &message), OK);
    }
    struct message *login = user_request_of(LOGIN, "admin", USER_SERVICE_PASSWORD), *answer;
    login->id = UINT64_MAX - 1;
    cr_assert_eq(mailbox_send(user_service.asker, "user", &login), OK);
    while ((answer = mailbox_receive(user_service.asker, USER_SERVICE_WAIT_MS)) != NULL &&
           answer->id == UINT64_MAX)
        message_destroy(&answer);
    cr_assert_not_null(answer);
    cr_expect_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    message_destroy(&answer);
}

Test(user_actor, promotion_is_seen_in_the_sessions_there_are)
{
    char token[SESSION_TOKEN_SIZE], user[USER_ID_SIZE];
    struct session session;
    user_service_sign_up("ann", user);
    cr_assert_eq(user_service_log_in("ann", USER_SERVICE_PASSWORD, token), OK);
    cr_assert(sessions_find(user_service.sessions, token, 0, &session));
    cr_assert_not(session.is_admin);
    cr_assert_eq(change(USER_PROMOTE, user), OK);
    cr_assert(sessions_find(user_service.sessions, token, 0, &session));
    cr_assert(session.is_admin);
}

Test(user_actor, last_administrator_stays)
{
    char token[SESSION_TOKEN_SIZE], user[USER_ID_SIZE];
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), OK);
    user_of_token(token, user);
    cr_assert_eq(change(USER_DEMOTE, user), ERR_CONFLICT);
    cr_assert_eq(change(USER_DEACTIVATE, user), ERR_CONFLICT);
    cr_assert_eq(change(USER_DELETE, user), ERR_CONFLICT);
    cr_assert(user_service_is_in(token));
}

static enum error
claim(enum operation operation, enum caller_role role, const char *caller, const char *device)
{
    struct message *message = user_request(operation, &claim_schema, role, caller);
    record_set_text(message->records->items[0], CLAIM_DEVICE, text_from(&message->arena, device));
    return user_service_outcome(message);
}

Test(user_actor, a_device_is_of_who_claims_it_first_while_they_are_there)
{
    char ann[USER_ID_SIZE], bob[USER_ID_SIZE];
    user_service_sign_up("ann", ann);
    user_service_sign_up("bob", bob);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), OK, "a look claims nothing");
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, ann, "d"), OK);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, ann, "d"), OK);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, ann, "d"), OK);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), ERR_FORBIDDEN);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, bob, "d"), ERR_FORBIDDEN);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_ADMIN, bob, "d"), OK, "administrators may use all");
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), ERR_FORBIDDEN, "and take none");
    user_service_stop();
    user_service_start();
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), ERR_FORBIDDEN);
    cr_assert_eq(change(USER_DELETE, ann), OK);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, bob, "d"), OK);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), OK);
}

// Claims devices `first` and the `count - 1` behind it.
static enum error
claim_many(const char *caller, unsigned first, unsigned count)
{
    struct message *message = user_request(DEVICE_CLAIM, NULL, CALLER_USER, caller);
    message->records = records_new(&message->arena, count);
    for (unsigned i = 0; i < count; i++) {
        struct record *claim = record_new(&message->arena, &claim_schema);
        record_set_text(claim, CLAIM_DEVICE, text_format(&message->arena, "d%06u", first + i));
        message->records->items[message->records->count++] = claim;
    }
    return user_service_outcome(message);
}

Test(user_actor, who_has_as_many_devices_as_may_be_goes_on_using_them)
{
    char user[USER_ID_SIZE];
    user_service_sign_up("ann", user);
    for (unsigned i = 0; i < LIMIT_USER_DEVICES; i += LIMIT_CLAIMS)
        cr_assert_eq(claim_many(user, i, LIMIT_CLAIMS), OK);
    cr_expect_eq(claim_many(user, 0, LIMIT_CLAIMS), OK);
    cr_expect_eq(claim_many(user, LIMIT_USER_DEVICES, 1), ERR_INVALID);
}

// --- effects at scene actors ---

static void
restart_beside_scene_actor(void)
{
    char name[MAILBOX_NAME_SIZE];
    mailbox_shard_name(0, name);
    user_service_stop();
    mailbox_destroy(&user_service.scene_actor);
    cr_assert_eq(mailbox_create(name, true, &user_service.scene_actor), OK);
    user_service_start();
}

// The effect that the user actor asks the scene actor for; yours.
static struct message *
asked_effect(const char *user)
{
    struct message *effect = mailbox_receive(user_service.scene_actor, USER_SERVICE_WAIT_MS);
    cr_assert_not_null(effect, "nothing is asked for");
    cr_assert_eq(effect->operation, EXPEL);
    cr_assert(text_is(((struct effect *)(void *)effect->records->items[0])->key, user));
    return effect;
}

// What was durable when the server ended is asked for at the next start, though nobody sends
// anything to the user actor; once, and not again when it is done.
Test(user_actor, a_start_goes_on_with_effects_that_were_not_done)
{
    char user[USER_ID_SIZE];
    restart_beside_scene_actor();
    user_service_sign_up("ann", user);
    struct message *message = user_request_about(USER_DEACTIVATE, NULL, user);
    cr_assert_eq(mailbox_send(user_service.asker, "user", &message), OK);
    struct message *effect = asked_effect(user); // its cause is durable; it is never done
    message_destroy(&effect);
    restart_beside_scene_actor();
    effect = asked_effect(user);
    mailbox_reply(user_service.scene_actor, &effect);
    user_service_sign_up("bob", user); // with this write the effect is done for good
    cr_expect_null(mailbox_receive(user_service.scene_actor, 0), "it is asked for twice");
    restart_beside_scene_actor();
    user_service_sign_up("eve", user);
    cr_expect_null(mailbox_receive(user_service.scene_actor, 0), "it is asked for again");
    user_service_stop();
    mailbox_destroy(&user_service.scene_actor);
    user_service_start();
}
