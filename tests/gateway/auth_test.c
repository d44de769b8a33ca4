// auth_test.c - who is an operator.
#include <criterion/criterion.h>
#include "gateway/auth.h"

#define TOKEN "0123456789abcdef"

static const struct caller here = {.peer = "127.0.0.1", .loopback = true},
                           elsewhere = {.peer = "10.0.0.1"};

static enum error
check(const struct caller *caller, const char *authorization, const char *token)
{
    struct http_request request = {.header_count = authorization ? 1 : 0,
                                   .headers = {{"Authorization", authorization}}};
    return auth_check_operator(&request, caller, token);
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
