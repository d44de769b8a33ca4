// asker_test.c - looking up who asks, again and again.
#include "gateway/request/asker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"

#define ANN "00000000000000000000000a"

static sessions_t *sessions;
static struct session session;
static struct auth_rules auth;
static struct request_guard_rules guard;
static struct http_request request;
static struct route route;
static struct asker asker;
static char authorization[SESSION_TOKEN_SIZE + 16];

static void
begin(void)
{
    char token[SESSION_TOKEN_SIZE];
    sessions = sessions_create();
    session_token_new(token);
    session = (struct session){.user = ANN, .is_admin = true, .expires_us = UINT64_MAX};
    cr_assert(sessions_id(sessions, token, session.id));
    cr_assert_eq(sessions_put(sessions, &session), OK);
    snprintf(authorization, sizeof authorization, "Bearer %s", token);
    auth = (struct auth_rules){.enabled = true, .sessions = sessions, .metrics_token = ""};
    guard = (struct request_guard_rules){.origins = ""};
    request = (struct http_request){
        .peer = "10.0.0.1", .header_count = 1, .headers = {{"Authorization", authorization}}};
    route = (struct route){.method = HTTP_POST, .operation = NO_OPERATION, .access = ACCESS_ADMIN};
    asker = (struct asker){
        .auth = &auth, .guard = &guard, .proxies = "", .request = &request, .route = &route};
}

static void
end(void)
{
    sessions_destroy(&sessions);
}

TestSuite(asker, .init = begin, .fini = end);

// Expects this outcome, and with OK this role.
static void
expect(enum error expected, enum caller_role role)
{
    struct caller caller = {.peer = "untouched"};
    cr_assert_eq(asker_identify(&asker, &caller), expected);
    if (expected != OK) {
        cr_assert_str_eq(caller.peer, "untouched");
        return;
    }
    cr_assert_str_eq(caller.peer, "10.0.0.1");
    cr_assert_str_eq(caller.user, ANN);
    cr_assert_eq(caller.role, role);
}

Test(asker, session_that_ends_is_gone_at_the_next_look)
{
    expect(OK, CALLER_ADMIN);
    cr_assert(sessions_end(sessions, session.id));
    expect(ERR_UNAUTHENTICATED, CALLER_ANONYMOUS);
}

Test(asker, administrator_who_is_demoted_is_a_user_at_the_next_look)
{
    expect(OK, CALLER_ADMIN);
    sessions_set_admin(sessions, session.id, false);
    expect(ERR_FORBIDDEN, CALLER_USER);
    route.access = ACCESS_USER;
    expect(OK, CALLER_USER);
}

Test(asker, page_of_another_origin_changes_nothing)
{
    request.headers[request.header_count++] = (struct http_header){"Sec-Fetch-Site", "cross-site"};
    expect(ERR_FORBIDDEN, CALLER_ADMIN);
    route.method = HTTP_GET;
    expect(OK, CALLER_ADMIN);
}

Test(asker, route_of_operators_asks_for_them)
{
    route = (struct route){.method = HTTP_GET,
                           .operation = NO_OPERATION,
                           .access = ACCESS_OPEN,
                           .for_operators = true};
    expect(OK, CALLER_ADMIN);
    sessions_set_admin(sessions, session.id, false);
    expect(ERR_FORBIDDEN, CALLER_USER);
}
