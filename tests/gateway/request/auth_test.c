// auth_test.c - identifying callers, and what they may do.
#include "gateway/request/auth.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "gateway/routes.h"
#include "proto/base/arena.h"

#define TOKEN "0123456789abcdef"
#define ANN "00000000000000000000000a"
#define BOB "00000000000000000000000b"

enum { NOW = 1000, HOUR = 3600 };

static sessions_t *sessions;
static char ann[SESSION_TOKEN_SIZE], root[SESSION_TOKEN_SIZE];
static struct auth_rules rules;
static struct caller caller;
static bool by_cookie;

static void
log_in(const char *user, bool is_admin, char *ret_token)
{
    struct session session = {.is_admin = is_admin, .expires_us = NOW + HOUR};
    session_token_new(ret_token);
    cr_assert(sessions_id(sessions, ret_token, session.id));
    snprintf(session.user, sizeof session.user, "%s", user);
    cr_assert_eq(sessions_put(sessions, &session), OK);
}

static void
begin(void)
{
    sessions = sessions_create();
    log_in(ANN, false, ann);
    log_in(BOB, true, root);
    rules = (struct auth_rules){.enabled = true, .sessions = sessions, .metrics_token = ""};
}

static void
end(void)
{
    sessions_destroy(&sessions);
}

TestSuite(auth, .init = begin, .fini = end);

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

// Identifies a request with these headers (NULL = without), each given as printf's format of the
// token.
static void
identify(const char *authorization, const char *cookie, const char *token)
{
    static char values[2][256];
    struct http_request request = {0};
    if (authorization) {
        snprintf(values[0], sizeof values[0], authorization, token);
        request.headers[request.header_count++] = (struct http_header){"Authorization", values[0]};
    }
    if (cookie) {
        snprintf(values[1], sizeof values[1], cookie, token);
        request.headers[request.header_count++] = (struct http_header){"Cookie", values[1]};
    }
    caller = (struct caller){0};
    auth_identify(&rules, &request, NOW, &caller, &by_cookie);
}

static void
expect(enum caller_role role, const char *user, bool cookie)
{
    cr_assert_eq(caller.role, role);
    cr_assert_str_eq(caller.user, user);
    cr_assert_eq(by_cookie, cookie);
}

Test(auth, a_bearer_is_its_user)
{
    identify("Bearer %s", NULL, ann);
    expect(CALLER_USER, ANN, false);
    cr_assert_eq(strlen(caller.session), 64);
    identify("bearer  %s", NULL, root);
    expect(CALLER_ADMIN, BOB, false);
}

Test(auth, a_cookie_is_its_user)
{
    identify(NULL, "access_token=%s", ann);
    expect(CALLER_USER, ANN, true);
    identify(NULL, "theme=dark; access_token=%s; x=y", root);
    expect(CALLER_ADMIN, BOB, true);
}

Test(auth, the_header_wins_over_the_cookie)
{
    char cookie[128];
    snprintf(cookie, sizeof cookie, "access_token=%s", root);
    identify("Bearer %s", cookie, ann);
    expect(CALLER_USER, ANN, false);
    identify("Bearer wrong", "access_token=%s", ann);
    expect(CALLER_ANONYMOUS, "", false);
}

Test(auth, whoever_has_no_good_token_is_nobody)
{
    static const char *const cookies[] = {"access_token=",
                                          "access_token=%s0",
                                          "xaccess_token=%s",
                                          "access_token=\"%s\"",
                                          "token=%s",
                                          "access_token",
                                          ";;; ",
                                          ""};
    static const char *const headers[] = {"%s", "Basic %s", "Bearer %s0", "Bearer", "Bearer ", ""};
    identify(NULL, NULL, ann);
    expect(CALLER_ANONYMOUS, "", false);
    for (size_t i = 0; i < sizeof cookies / sizeof cookies[0]; i++) {
        identify(NULL, cookies[i], ann);
        expect(CALLER_ANONYMOUS, "", false);
    }
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        identify(headers[i], NULL, ann);
        expect(CALLER_ANONYMOUS, "", false);
    }
    rules.sessions = NULL;
    identify("Bearer %s", NULL, ann);
    expect(CALLER_ANONYMOUS, "", false);
}

Test(auth, without_users_everybody_is_trusted_and_known_where_they_say_so)
{
    rules.enabled = false;
    identify(NULL, NULL, ann);
    expect(CALLER_TRUSTED, "", false);
    identify("Bearer %s", NULL, ann);
    expect(CALLER_TRUSTED, ANN, false);
}

// What the rule of a route says to: nobody, Ann, Ann where the path names her, an administrator,
// everybody while there are no users.
Test(auth, each_rule_lets_in_whom_it_names)
{
    static const struct {
        enum access access;
        enum error expected[5];
    } rows[] = {
        {ACCESS_OPEN, {OK, OK, OK, OK, OK}},
        {ACCESS_USER, {ERR_UNAUTHENTICATED, OK, OK, OK, OK}},
        {ACCESS_READ, {ERR_UNAUTHENTICATED, OK, OK, OK, OK}},
        {ACCESS_CHANGE, {ERR_UNAUTHENTICATED, OK, OK, OK, OK}},
        {ACCESS_SHARE, {ERR_UNAUTHENTICATED, OK, OK, OK, OK}},
        {ACCESS_DEVICE, {ERR_UNAUTHENTICATED, OK, OK, OK, OK}},
        {ACCESS_LIST, {ERR_UNAUTHENTICATED, OK, OK, OK, OK}},
        {ACCESS_SELF, {ERR_UNAUTHENTICATED, ERR_FORBIDDEN, OK, OK, OK}},
        {ACCESS_ADMIN, {ERR_UNAUTHENTICATED, ERR_FORBIDDEN, ERR_FORBIDDEN, OK, OK}},
        {ACCESS_OPERATOR, {ERR_UNAUTHENTICATED, ERR_FORBIDDEN, ERR_FORBIDDEN, OK, ERR_FORBIDDEN}},
        {ACCESS_INTERNAL, {ERR_UNAUTHENTICATED, ERR_FORBIDDEN, ERR_FORBIDDEN, OK, OK}},
    };
    struct arena arena = {0};
    const struct text *self = text_from(&arena, ANN), *other = text_from(&arena, BOB);
    const struct caller nobody = {.role = CALLER_ANONYMOUS},
                        user = {.role = CALLER_USER, .user = ANN},
                        admin = {.role = CALLER_ADMIN, .user = BOB}, trusted = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct route route = {.operation = NO_OPERATION, .access = rows[i].access};
        cr_expect_eq(auth_check(&route, &nobody, self), rows[i].expected[0], "%zu", i);
        cr_expect_eq(auth_check(&route, &user, other), rows[i].expected[1], "%zu", i);
        cr_expect_eq(auth_check(&route, &user, self), rows[i].expected[2], "%zu", i);
        cr_expect_eq(auth_check(&route, &admin, self), rows[i].expected[3], "%zu", i);
        cr_expect_eq(auth_check(&route, &trusted, NULL), rows[i].expected[4], "%zu", i);
    }
    arena_finish(&arena);
}

Test(auth, no_route_is_without_a_rule)
{
    for (size_t i = 0; i < routes_count; i++) {
        cr_expect_geq(route_access(&routes[i]), ACCESS_OPEN, "%s", routes[i].path);
        cr_expect_neq(route_access(&routes[i]), ACCESS_INTERNAL, "%s", routes[i].path);
    }
}

// ---------------------------------------------------------------- what is the operator's

static const struct caller here = {.peer = "127.0.0.1", .loopback = true},
                           elsewhere = {.peer = "10.0.0.1"};

static enum error
check(const struct caller *who, const char *authorization, const char *token)
{
    const struct auth_rules open = {.metrics_token = token};
    struct http_request request = {.header_count = authorization ? 1 : 0,
                                   .headers = {{"Authorization", authorization}}};
    return auth_check_operator(&open, &request, who);
}

Test(auth, loopback_is_open)
{
    cr_assert_eq(check(&here, NULL, ""), OK);
    cr_assert_eq(check(&here, "Bearer wrong", TOKEN), OK);
}

Test(auth, nobody_else_passes_without_a_token_set)
{
    cr_assert_eq(check(&elsewhere, NULL, ""), ERR_FORBIDDEN);
    cr_assert_eq(check(&elsewhere, "Bearer ", ""), ERR_FORBIDDEN);
    cr_assert_eq(check(&elsewhere, "Bearer ", NULL), ERR_FORBIDDEN);
}

Test(auth, bearer_of_the_token_passes)
{
    cr_assert_eq(check(&elsewhere, "Bearer " TOKEN, TOKEN), OK);
    cr_assert_eq(check(&elsewhere, "bearer  " TOKEN, TOKEN), OK);
}

Test(auth, administrators_are_operators_and_users_are_not)
{
    const struct http_request request = {0};
    const struct caller nobody = {.role = CALLER_ANONYMOUS}, user = {.role = CALLER_USER},
                        admin = {.role = CALLER_ADMIN};
    cr_assert_eq(auth_check_operator(&rules, &request, &admin), OK);
    cr_assert_eq(auth_check_operator(&rules, &request, &user), ERR_FORBIDDEN);
    cr_assert_eq(auth_check_operator(&rules, &request, &nobody), ERR_UNAUTHENTICATED);
}

Test(auth, everything_else_is_refused)
{
    static const char *const wrong[] = {NULL,
                                        "",
                                        "Bearer",
                                        "Bearer ",
                                        TOKEN,
                                        "Basic " TOKEN,
                                        "Bearer 0123456789abcde",
                                        "Bearer " TOKEN "0",
                                        "Bearer " TOKEN " ",
                                        "Bearer 0123456789ABCDEF"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_expect_eq(check(&elsewhere, wrong[i], TOKEN), ERR_UNAUTHENTICATED, "%s", wrong[i]);
        cr_expect_null(strstr(fault_last()->detail, TOKEN));
    }
}
