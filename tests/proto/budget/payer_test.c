// payer_test.c - who pays, and who does not count.
#include "proto/budget/payer.h"

#include <criterion/criterion.h>

static const struct caller user = {.peer = "127.0.0.1",
                                   .loopback = true,
                                   .role = CALLER_USER,
                                   .user = "ann"},
                           local = {.peer = "127.0.0.1", .loopback = true},
                           remote = {.peer = "10.0.0.1"},
                           open_account = {.peer = "10.0.0.1", .user = "ann"}, between_actors = {0};

static const char *
payer(const struct caller *caller)
{
    static char chars[PAYER_SIZE];
    payer_of(caller, chars);
    return chars;
}

Test(payer, a_user_pays_wherever_they_are)
{
    cr_expect_str_eq(payer(&user), "ann");
}

Test(payer, without_users_the_address_pays_whoever_logged_in)
{
    cr_expect_str_eq(payer(&remote), "10.0.0.1");
    cr_expect_str_eq(payer(&open_account), "10.0.0.1");
}

Test(payer, on_loopback_a_user_counts_but_for_rates)
{
    cr_expect(payer_counts(BUDGET_STREAMS, &user));
    cr_expect_not(payer_counts(BUDGET_REQUESTS, &user));
}

Test(payer, on_loopback_without_users_nobody_counts)
{
    cr_expect_not(payer_counts(BUDGET_STREAMS, &local));
    cr_expect_not(payer_counts(BUDGET_REQUESTS, &local));
    cr_expect(payer_counts(BUDGET_STREAMS, &remote));
    cr_expect(payer_counts(BUDGET_REQUESTS, &remote));
}

Test(payer, actors_do_not_count)
{
    cr_expect_not(payer_counts(BUDGET_REQUESTS, &between_actors));
}
