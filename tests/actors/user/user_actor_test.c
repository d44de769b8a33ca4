// user_actor_test.c - the user actor with its store, committer and hashing thread: what is durable
// decides who is in. System tests show what clients see of it (users, login, revocation).
#include "actors/user/user_actor.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/runtime/committer.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/records/user.h"
#include "store/fault.h"
#include "store/rocks.h"
#include "tests/support/temporary.h"

enum { WAIT_MS = 60000 };
#define PASSWORD "correct horse"

static struct temporary directory;
static struct config config = {
    .auth_enabled = true, .auth_admin_user = "admin", .auth_admin_password = PASSWORD};
static store_t *store;
static sessions_t *sessions;
static mailbox_t *asker;
static committer_t *committer;
static user_actor_t *actor;
static char plan[TEMPORARY_PATH_BYTES];

static void
set_faults(const char *words)
{
    char fresh[TEMPORARY_PATH_BYTES + 8];
    snprintf(fresh, sizeof fresh, "%s.new", plan);
    FILE *file = fopen(fresh, "w");
    cr_assert_not_null(file);
    fputs(words, file);
    fclose(file);
    cr_assert_eq(rename(fresh, plan), 0);
}

static void
start(void)
{
    char path[TEMPORARY_PATH_BYTES], faults[TEMPORARY_PATH_BYTES + 8];
    store_t *rocks = NULL;
    temporary_path(&directory, "store", path);
    snprintf(faults, sizeof faults, "file=%s", plan);
    cr_assert_eq(rocks_open(path, false, false, &rocks), OK, "%s", fault_last()->detail);
    cr_assert_eq(fault_wrap(&rocks, faults, &store), OK);
    sessions = sessions_create();
    const struct user_settings settings = {
        .config = &config, .sessions = sessions, .committer = "committer.user", .passwords = 1};
    cr_assert_eq(mailbox_create("asker", false, &asker), OK);
    cr_assert_eq(committer_create(store, "committer.user", &committer), OK);
    cr_assert_eq(user_actor_create(store, &settings, &actor), OK, "%s", fault_last()->detail);
}

static void
stop(void)
{
    user_actor_destroy(&actor, asker);
    committer_destroy(&committer, asker);
    mailbox_destroy(&asker);
    sessions_destroy(&sessions);
    store_destroy(&store);
}

static void
begin(void)
{
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&directory);
    temporary_path(&directory, "plan", plan);
    set_faults("latency=0");
    start();
}

static void
end(void)
{
    stop();
    temporary_finish(&directory);
}

TestSuite(user_actor, .init = begin, .fini = end, .timeout = 120);

// Asks the actor; the answer is yours.
static struct message *
ask(struct message *message)
{
    static uint64_t last;
    message->id = ++last;
    cr_assert_eq(mailbox_send(asker, "user", &message), OK);
    struct message *answer = mailbox_receive(asker, WAIT_MS);
    cr_assert_not_null(answer);
    cr_assert_eq(answer->id, last);
    return answer;
}

static struct message *
request(enum operation operation, const struct schema *schema, enum caller_role role,
        const char *caller)
{
    struct message *message = message_create(operation);
    message->caller.role = role;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", caller);
    snprintf(message->caller.peer, sizeof message->caller.peer, "10.0.0.1");
    if (schema) {
        message->records = records_new(&message->arena, 1);
        message->records->items[message->records->count++] = record_new(&message->arena, schema);
    }
    return message;
}

static struct message *
with_names(enum operation operation, const char *username, const char *word)
{
    struct message *message = request(operation, &user_schema, CALLER_ADMIN, "");
    record_set_text(message->records->items[0], USER_USERNAME,
                    text_from(&message->arena, username));
    record_set_text(message->records->items[0], USER_PASSWORD, text_from(&message->arena, word));
    return message;
}

// Logs in; writes the token where it succeeds.
static enum error
log_in(const char *username, const char *word, char ret_token[SESSION_TOKEN_SIZE])
{
    owned(message_destroy) struct message *answer = ask(with_names(LOGIN, username, word));
    const struct envelope *envelope = (const struct envelope *)(void *)answer->reply.envelope;
    if (answer->reply.fault.error == OK)
        snprintf(ret_token, SESSION_TOKEN_SIZE, "%s", text_chars(envelope->token));
    return answer->reply.fault.error;
}

static bool
is_in(const char *token)
{
    struct session session;
    return sessions_find(sessions, token, 0, &session);
}

static enum error
change(enum operation operation, const char *user)
{
    struct message *message = request(operation, NULL, CALLER_ADMIN, "");
    record_set_text(&message->params->base, PARAMS_USER, text_from(&message->arena, user));
    owned(message_destroy) struct message *answer = ask(message);
    return answer->reply.fault.error;
}

// The id of who has the token.
static void
user_of_token(const char *token, char ret_user[USER_ID_SIZE])
{
    struct session session;
    cr_assert(sessions_find(sessions, token, 0, &session));
    snprintf(ret_user, USER_ID_SIZE, "%s", session.user);
}

static void
sign_up(const char *username, char ret_user[USER_ID_SIZE])
{
    owned(message_destroy) struct message *answer = ask(with_names(SIGN_UP, username, PASSWORD));
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    const struct user *user = (const struct user *)(const void *)reply_record(&answer->reply, 0);
    cr_assert_null(user->password);
    snprintf(ret_user, USER_ID_SIZE, "%s", text_chars(user->id));
}

// Most find the line of passwords full; they count all the same.
Test(user_actor, sign_ups_are_counted_by_the_network_of_an_ipv6_address)
{
    enum { SIGN_UPS = 260 }; // 200 at once, then ten a second
    unsigned throttled = 0;
    for (unsigned i = 0; i < SIGN_UPS; i++) {
        char name[16];
        snprintf(name, sizeof name, "user%u", i);
        struct message *message = with_names(SIGN_UP, name, PASSWORD);
        message->id = 1000 + i;
        snprintf(message->caller.peer, sizeof message->caller.peer, "2001:db8:0:1::%x", i);
        cr_assert_eq(mailbox_send(asker, "user", &message), OK);
    }
    for (unsigned i = 0; i < SIGN_UPS; i++) {
        owned(message_destroy) struct message *answer = mailbox_receive(asker, WAIT_MS);
        cr_assert_not_null(answer);
        throttled += answer->reply.fault.error == ERR_THROTTLED;
    }
    cr_assert_gt(throttled, 0);
}

Test(user_actor, a_session_is_found_when_its_login_is_answered_and_after_a_restart)
{
    char token[SESSION_TOKEN_SIZE];
    cr_assert_eq(log_in("admin", PASSWORD, token), OK);
    cr_assert(is_in(token));
    stop();
    start();
    cr_assert(is_in(token));
}

Test(user_actor, a_login_that_is_not_durable_lets_nobody_in)
{
    char token[SESSION_TOKEN_SIZE] = "";
    set_faults("unavailable=1");
    cr_assert_eq(log_in("admin", PASSWORD, token), ERR_UNAVAILABLE);
    cr_assert_eq(sessions_count(sessions), 0);
    set_faults("latency=0");
    cr_assert_eq(log_in("admin", PASSWORD, token), OK);
    cr_assert_eq(sessions_count(sessions), 1);
}

Test(user_actor, a_revocation_that_is_not_durable_is_refused_and_none_happened)
{
    char token[SESSION_TOKEN_SIZE], user[USER_ID_SIZE];
    sign_up("ann", user);
    cr_assert_eq(log_in("ann", PASSWORD, token), OK);
    set_faults("full=1");
    cr_assert_eq(change(USER_DEACTIVATE, user), ERR_STORAGE_FULL);
    cr_assert(is_in(token));
    set_faults("latency=0");
    cr_assert_eq(change(USER_DEACTIVATE, user), OK);
    cr_assert_not(is_in(token));
    stop();
    start();
    cr_assert_not(is_in(token));
}

Test(user_actor, what_ends_sessions_and_what_does_not)
{
    static const struct {
        enum operation operation;
        bool ends;
    } rows[] = {{USER_PROMOTE, false},   {USER_DEMOTE, true},    {USER_ACTIVATE, false},
                {USER_DEACTIVATE, true}, {USER_ACTIVATE, false}, {USER_DELETE, true}};
    char token[SESSION_TOKEN_SIZE] = "", user[USER_ID_SIZE];
    sign_up("ann", user);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!is_in(token) && rows[i].operation != USER_ACTIVATE)
            cr_assert_eq(log_in("ann", PASSWORD, token), OK);
        bool was_in = is_in(token);
        cr_assert_eq(change(rows[i].operation, user), OK);
        cr_assert_eq(is_in(token), was_in && !rows[i].ends, "row %zu", i);
    }
}

Test(user_actor, who_is_known_logs_in_while_many_passwords_are_changed)
{
    enum { CHANGES = 40 };
    char token[SESSION_TOKEN_SIZE], name[16];
    cr_assert_eq(log_in("admin", PASSWORD, token), OK);
    for (int i = 0; i < CHANGES; i++) {
        snprintf(name, sizeof name, "user%d", i);
        struct message *message = with_names(SIGN_UP, name, PASSWORD);
        message->id = UINT64_MAX; // nobody reads its answer
        cr_assert_eq(mailbox_send(asker, "user", &message), OK);
    }
    struct message *login = with_names(LOGIN, "admin", PASSWORD), *answer;
    login->id = UINT64_MAX - 1;
    cr_assert_eq(mailbox_send(asker, "user", &login), OK);
    while ((answer = mailbox_receive(asker, WAIT_MS)) != NULL && answer->id == UINT64_MAX)
        message_destroy(&answer);
    cr_assert_not_null(answer);
    cr_expect_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    message_destroy(&answer);
}

Test(user_actor, promotion_is_seen_in_the_sessions_there_are)
{
    char token[SESSION_TOKEN_SIZE], user[USER_ID_SIZE];
    struct session session;
    sign_up("ann", user);
    cr_assert_eq(log_in("ann", PASSWORD, token), OK);
    cr_assert(sessions_find(sessions, token, 0, &session));
    cr_assert_not(session.is_admin);
    cr_assert_eq(change(USER_PROMOTE, user), OK);
    cr_assert(sessions_find(sessions, token, 0, &session));
    cr_assert(session.is_admin);
}

Test(user_actor, last_administrator_stays)
{
    char token[SESSION_TOKEN_SIZE], user[USER_ID_SIZE];
    cr_assert_eq(log_in("admin", PASSWORD, token), OK);
    user_of_token(token, user);
    cr_assert_eq(change(USER_DEMOTE, user), ERR_CONFLICT);
    cr_assert_eq(change(USER_DEACTIVATE, user), ERR_CONFLICT);
    cr_assert_eq(change(USER_DELETE, user), ERR_CONFLICT);
    cr_assert(is_in(token));
}

static enum error
claim(enum operation operation, enum caller_role role, const char *caller, const char *device)
{
    struct message *message = request(operation, &claim_schema, role, caller);
    record_set_text(message->records->items[0], CLAIM_DEVICE, text_from(&message->arena, device));
    owned(message_destroy) struct message *answer = ask(message);
    return answer->reply.fault.error;
}

Test(user_actor, a_device_is_of_who_claims_it_first_while_they_are_there)
{
    char ann[USER_ID_SIZE], bob[USER_ID_SIZE];
    sign_up("ann", ann);
    sign_up("bob", bob);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), OK, "a look claims nothing");
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, ann, "d"), OK);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, ann, "d"), OK);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, ann, "d"), OK);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), ERR_FORBIDDEN);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, bob, "d"), ERR_FORBIDDEN);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_ADMIN, bob, "d"), OK, "administrators may use all");
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), ERR_FORBIDDEN, "and take none");
    stop();
    start();
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), ERR_FORBIDDEN);
    cr_assert_eq(change(USER_DELETE, ann), OK);
    cr_assert_eq(claim(DEVICE_CLAIM, CALLER_USER, bob, "d"), OK);
    cr_assert_eq(claim(DEVICE_CHECK, CALLER_USER, bob, "d"), OK);
}

// Claims devices `first` and the `count - 1` behind it.
static enum error
claim_many(const char *caller, unsigned first, unsigned count)
{
    struct message *message = request(DEVICE_CLAIM, NULL, CALLER_USER, caller);
    message->records = records_new(&message->arena, count);
    for (unsigned i = 0; i < count; i++) {
        struct record *claim = record_new(&message->arena, &claim_schema);
        record_set_text(claim, CLAIM_DEVICE, text_format(&message->arena, "d%06u", first + i));
        message->records->items[message->records->count++] = claim;
    }
    owned(message_destroy) struct message *answer = ask(message);
    return answer->reply.fault.error;
}

Test(user_actor, who_has_as_many_devices_as_may_be_goes_on_using_them)
{
    char user[USER_ID_SIZE];
    sign_up("ann", user);
    for (unsigned i = 0; i < LIMIT_USER_DEVICES; i += LIMIT_CLAIMS)
        cr_assert_eq(claim_many(user, i, LIMIT_CLAIMS), OK);
    cr_expect_eq(claim_many(user, 0, LIMIT_CLAIMS), OK);
    cr_expect_eq(claim_many(user, LIMIT_USER_DEVICES, 1), ERR_INVALID);
}
