// stream_access_test.c - who a stream is for, after its request is gone.
#include "gateway/events/stream_access.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"

#define ANN "00000000000000000000000a"

static struct arena arena;
static sessions_t *sessions;
static struct session session;
static struct auth_rules rules;
static const struct request_guard_rules guard = {.origins = ""};
static const struct route route = {.method = HTTP_GET, .operation = SCENE_WATCH};
static struct stream_access access;

// The request is overwritten as soon as the stream has begun.
static void
begin(void)
{
    char token[SESSION_TOKEN_SIZE], header[SESSION_TOKEN_SIZE + 16], peer[] = "10.0.0.1";
    sessions = sessions_create();
    session_token_new(token);
    session = (struct session){.user = ANN, .expires_us = UINT64_MAX};
    cr_assert(sessions_id(sessions, token, session.id));
    cr_assert_eq(sessions_put(sessions, &session), OK);
    snprintf(header, sizeof header, "Bearer %s", token);
    rules = (struct auth_rules){.enabled = true, .sessions = sessions, .metrics_token = ""};
    struct http_request request = {
        .peer = peer, .header_count = 1, .headers = {{"Authorization", header}}};
    const struct asker asker = {
        .auth = &rules, .guard = &guard, .proxies = "", .request = &request, .route = &route};
    cr_assert_eq(stream_access_begin(&access, &asker), OK);
    memset(header, 'x', sizeof header);
    memset(peer, 'x', sizeof peer);
    memset(&request, 0, sizeof request);
}

static void
end(void)
{
    sessions_destroy(&sessions);
    arena_finish(&arena);
}

TestSuite(stream_access, .init = begin, .fini = end);

Test(stream_access, questions_are_signed_with_who_asked_first)
{
    owned(message_destroy) struct message *question =
        stream_access_question(SCENE_WATCH, text_from(&arena, "hall"), NULL);
    cr_assert_eq(stream_access_sign(&access, question), OK);
    cr_expect(text_is(question->params->scene, "hall"));
    cr_expect_null(question->parcel);
    cr_expect_str_eq(question->caller.user, ANN);
    cr_expect_str_eq(question->caller.peer, "10.0.0.1");
    cr_expect_eq(question->caller.role, CALLER_USER);
}

Test(stream_access, session_is_looked_up_four_times_a_second)
{
    cr_assert(stream_access_is_due(&access, 1000));
    cr_assert_not(stream_access_is_due(&access, 1249));
    cr_assert(stream_access_is_due(&access, 1250));
    rules.enabled = false;
    cr_assert_not(stream_access_is_due(&access, 9999));
}

Test(stream_access, ended_session_may_not_go_on_and_asks_nothing)
{
    bool is_other = true;
    owned(message_destroy) struct message *question =
        stream_access_question(SCENE_WATCH, text_from(&arena, "hall"), NULL);
    cr_assert(stream_access_look(&access, &is_other));
    cr_assert_not(is_other);
    cr_assert(sessions_end(sessions, session.id));
    cr_assert_not(stream_access_look(&access, &is_other));
    cr_assert_eq(stream_access_sign(&access, question), ERR_UNAUTHENTICATED);
}

Test(stream_access, another_role_is_told)
{
    bool is_other = false;
    sessions_set_admin(sessions, session.id, true);
    cr_assert(stream_access_look(&access, &is_other));
    cr_assert(is_other);
    cr_assert_eq(access.caller.role, CALLER_ADMIN);
}
