// user_actor_memory_test.c - the user actor without memory for users: each look at one is read from
// the store, and what must hold of names, administrators, sessions and devices holds all the same.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/user.h"
#include "proto/records/user_budget.h"
#include "tests/support/user_service.h"

static void
begin(void)
{
    user_service_begin();
    user_service_stop();
    user_service.memory = 0;
    user_service_start();
}

TestSuite(user_actor_memory, .init = begin, .fini = user_service_end, .timeout = 120);

static enum error
change(enum operation operation, const char *user)
{
    return user_service_outcome(user_request_about(operation, NULL, user));
}

static void
send(struct message *message, uint64_t id)
{
    message->id = id;
    cr_assert_eq(mailbox_send(user_service.asker, "user", &message), OK);
}

static enum error
received(void)
{
    owned(message_destroy) struct message *answer =
        mailbox_receive(user_service.asker, USER_SERVICE_WAIT_MS);
    cr_assert_not_null(answer);
    return answer->reply.fault.error;
}

static struct message *
rename_request(const char *user, const char *username)
{
    struct message *message = user_request_about(USER_UPDATE, &user_schema, user);
    record_set_text(message->records->items[0], USER_USERNAME,
                    text_from(&message->arena, username));
    return message;
}

// A user with a known name is told.
static unsigned
count_named(const char *username)
{
    struct message *message = user_request(USER_FIND, &user_schema, CALLER_ADMIN, "");
    record_set_text(message->records->items[0], USER_USERNAME,
                    text_from(&message->arena, username));
    owned(message_destroy) struct message *answer = user_service_ask(message);
    cr_assert_eq(answer->reply.fault.error, OK);
    return (unsigned)answer->reply.count;
}

Test(user_actor_memory, of_requests_that_ask_for_one_name_at_once_one_gets_it)
{
    enum { RIVALS = 12 };
    char ids[RIVALS / 2][USER_ID_SIZE];
    unsigned won = 0;
    for (unsigned i = 0; i < RIVALS / 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "user%u", i);
        user_service_sign_up(name, ids[i]);
    }
    for (unsigned i = 0; i < RIVALS; i++)
        send(i % 2 ? rename_request(ids[i / 2], "ANN")
                   : user_request_of(SIGN_UP, "ann", USER_SERVICE_PASSWORD),
             1000 + i);
    for (unsigned i = 0; i < RIVALS; i++) {
        enum error error = received();
        cr_expect(error == OK || error == ERR_CONFLICT, "%d", error);
        won += error == OK;
    }
    cr_expect_eq(1, won);
    cr_expect_eq(1, count_named("ann") + count_named("ANN"));
}

Test(user_actor_memory, a_name_is_free_again_when_its_user_has_another_or_is_gone)
{
    char ann[USER_ID_SIZE], bob[USER_ID_SIZE];
    user_service_sign_up("ann", ann);
    user_service_sign_up("bob", bob);
    cr_expect_eq(ERR_CONFLICT, user_service_outcome(rename_request(bob, "Ann")));
    cr_expect_eq(OK, user_service_outcome(rename_request(ann, "eve")));
    cr_expect_eq(OK, user_service_outcome(rename_request(bob, "Ann")));
    cr_expect_eq(ERR_CONFLICT, user_service_outcome(rename_request(ann, "ann")));
    cr_expect_eq(OK, change(USER_DELETE, bob));
    cr_expect_eq(OK, user_service_outcome(rename_request(ann, "ann")));
}

Test(user_actor_memory, of_two_administrators_that_go_at_once_one_stays)
{
    char token[SESSION_TOKEN_SIZE], admin[USER_ID_SIZE], ann[USER_ID_SIZE];
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), OK);
    user_of_token(token, admin);
    user_service_sign_up("ann", ann);
    cr_assert_eq(change(USER_PROMOTE, ann), OK);
    send(user_request_about(USER_DEMOTE, NULL, admin), 1000);
    send(user_request_about(USER_DELETE, NULL, ann), 1001);
    enum error first = received(), second = received();
    cr_expect_eq(first == OK ? ERR_CONFLICT : OK, second);
    cr_expect(first == OK || first == ERR_CONFLICT);
}

Test(user_actor_memory, a_login_is_of_whom_the_user_is_when_it_is_durable)
{
    char token[SESSION_TOKEN_SIZE], ann[USER_ID_SIZE];
    struct session session;
    user_service_sign_up("ann", ann);
    cr_assert_eq(user_service_log_in("Ann", USER_SERVICE_PASSWORD, token), OK);
    cr_assert_eq(user_service_log_in("ann", "another one", token), ERR_UNAUTHENTICATED);
    cr_assert_eq(change(USER_PROMOTE, ann), OK);
    user_service_stop();
    user_service_start();
    cr_assert(sessions_find(user_service.sessions, token, 0, &session));
    cr_expect(session.is_admin, "as its session says");
    cr_expect_eq(0, session.revocations);
    cr_assert_eq(change(USER_DEMOTE, ann), OK);
    cr_expect_not(user_service_is_in(token));
    cr_assert_eq(user_service_log_in("ann", USER_SERVICE_PASSWORD, token), OK);
    cr_assert(sessions_find(user_service.sessions, token, 0, &session));
    cr_expect_not(session.is_admin);
    cr_expect_eq(1, session.revocations);
}

// A login that is under way beside a promotion, or beside the end of the user.
Test(user_actor_memory, a_login_beside_a_change_of_its_user_is_as_if_one_came_after_the_other)
{
    for (unsigned round = 0; round < 6; round++) {
        char name[16], user[USER_ID_SIZE], token[SESSION_TOKEN_SIZE] = "";
        struct session session;
        bool is_removed = round % 2;
        snprintf(name, sizeof name, "user%u", round);
        user_service_sign_up(name, user);
        send(user_request_of(LOGIN, name, USER_SERVICE_PASSWORD), 1000);
        send(user_request_about(is_removed ? USER_DELETE : USER_PROMOTE, NULL, user), 1001);
        for (unsigned i = 0; i < 2; i++) {
            owned(message_destroy) struct message *answer =
                mailbox_receive(user_service.asker, USER_SERVICE_WAIT_MS);
            const struct envelope *envelope =
                (const struct envelope *)(void *)answer->reply.envelope;
            if (answer->id == 1000 && answer->reply.fault.error == OK)
                snprintf(token, sizeof token, "%s", text_chars(envelope->token));
        }
        bool is_in = sessions_find(user_service.sessions, token, 0, &session);
        cr_expect_eq(!is_removed, is_in, "round %u", round);
        cr_expect(is_removed || session.is_admin, "round %u", round);
    }
}

static enum error
claim(enum operation operation, const char *caller, unsigned first, unsigned count)
{
    struct message *message = user_request(operation, NULL, CALLER_USER, caller);
    message->records = records_new(&message->arena, count);
    for (unsigned i = 0; i < count; i++) {
        struct record *record = record_new(&message->arena, &claim_schema);
        record_set_text(record, CLAIM_DEVICE, text_format(&message->arena, "d%06u", first + i));
        message->records->items[message->records->count++] = record;
    }
    return user_service_outcome(message);
}

Test(user_actor_memory, devices_are_of_who_claimed_them_first)
{
    char ann[USER_ID_SIZE], bob[USER_ID_SIZE];
    user_service_sign_up("ann", ann);
    user_service_sign_up("bob", bob);
    cr_expect_eq(OK, claim(DEVICE_CLAIM, ann, 0, 300));
    cr_expect_eq(OK, claim(DEVICE_CHECK, ann, 100, 300));
    cr_expect_eq(ERR_FORBIDDEN, claim(DEVICE_CLAIM, bob, 299, 300));
    cr_expect_eq(OK, claim(DEVICE_CLAIM, bob, 300, 300));
    cr_assert_eq(change(USER_DEACTIVATE, bob), OK);
    cr_expect_eq(ERR_UNAUTHENTICATED, claim(DEVICE_CHECK, bob, 300, 1));
    cr_expect_eq(ERR_FORBIDDEN, claim(DEVICE_CHECK, ann, 300, 1), "they are still there");
    cr_assert_eq(change(USER_DELETE, bob), OK);
    cr_expect_eq(OK, claim(DEVICE_CLAIM, ann, 300, 300));
}

Test(user_actor_memory, budgets_favourites_and_exports_are_of_users_who_are_there)
{
    char ann[USER_ID_SIZE];
    user_service_sign_up("ann", ann);
    cr_assert_eq(claim(DEVICE_CLAIM, ann, 0, 3), OK);
    cr_expect_eq(
        OK, user_service_outcome(user_request_about(USER_BUDGET_PUT, &user_budget_schema, ann)));
    cr_expect_eq(OK, change(USER_BUDGET_GET, ann));
    struct message *message = user_request_about(USER_ADD_SCENE, NULL, ann);
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&message->arena, "plaza"));
    cr_expect_eq(OK, user_service_outcome(message));
    owned(message_destroy) struct message *exported =
        user_service_ask(user_request_about(USER_EXPORT, NULL, ann));
    cr_expect_eq(5, exported->reply.count, "account, budget, three devices");
    cr_expect_eq(ERR_NOT_FOUND, change(USER_BUDGET_GET, "0123456789abcdef01234567"));
    cr_expect_eq(ERR_NOT_FOUND, change(USER_EXPORT, "0123456789abcdef01234567"));
    cr_expect_eq(OK, change(USER_DELETE, ann));
    cr_expect_eq(ERR_NOT_FOUND, change(USER_BUDGET_GET, ann));
}

// Five may fail at one account, then one each 15 s.
Test(user_actor_memory, a_login_that_waits_for_its_user_counts_once)
{
    char token[SESSION_TOKEN_SIZE];
    for (unsigned i = 0; i < 5; i++)
        cr_expect_eq(ERR_UNAUTHENTICATED, user_service_log_in("admin", "a guess", token));
    cr_expect_eq(ERR_THROTTLED, user_service_log_in("admin", "a guess", token));
}
