// login_throttle_test.c - how often a password may be guessed.
#include "actors/user/login_throttle.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { NOW = 1000000, MINUTE = 60000 };
#define DAY (UINT64_C(24) * 3600 * 1000)

static login_throttle_t *throttle;

static void
begin(void)
{
    throttle = login_throttle_create();
}

static void
end(void)
{
    login_throttle_destroy(&throttle);
}

TestSuite(login_throttle, .init = begin, .fini = end);

static uint64_t
guess(const char *account, const char *peer)
{
    return login_throttle_try(throttle, account, peer, NOW);
}

static void
log_in(const char *account, const char *peer)
{
    cr_assert_eq(guess(account, peer), 0);
    login_throttle_succeed(throttle, account, peer, NOW);
}

// As many guesses at one account, each from another address; how many of them were let pass.
static unsigned
guess_from_many(const char *account, unsigned guesses)
{
    char peer[32];
    unsigned passed = 0;
    for (unsigned i = 0; i < guesses; i++) {
        snprintf(peer, sizeof peer, "10.0.%u.%u", i / 250, i % 250);
        passed += guess(account, peer) == 0;
    }
    return passed;
}

Test(login_throttle, an_address_fails_five_times_at_an_account_then_every_15_s)
{
    for (int i = 0; i < 5; i++)
        cr_assert_eq(guess("ann", "10.0.0.1"), 0);
    cr_assert_eq(guess("ann", "10.0.0.1"), 15000);
    cr_assert_eq(guess("ann", "10.0.0.2"), 0);
    cr_assert_eq(guess("bob", "10.0.0.1"), 0);
    cr_assert_eq(login_throttle_try(throttle, "ann", "10.0.0.1", NOW + 15000), 0);
}

Test(login_throttle, an_address_fails_twenty_times_in_all_then_every_3_s)
{
    char account[16];
    for (int i = 0; i < 20; i++) {
        snprintf(account, sizeof account, "user%d", i);
        cr_assert_eq(guess(account, "10.0.0.1"), 0);
    }
    cr_assert_eq(guess("another", "10.0.0.1"), 3000);
    cr_assert_eq(guess("another", "10.0.0.2"), 0);
}

Test(login_throttle, good_logins_are_not_counted)
{
    for (int i = 0; i < 1000; i++)
        log_in("ann", "10.0.0.1");
}

Test(login_throttle, a_good_login_forgives_what_was_mistyped)
{
    for (int i = 0; i < 4; i++)
        cr_assert_eq(guess("ann", "10.0.0.1"), 0);
    log_in("ann", "10.0.0.1");
    for (int i = 0; i < 5; i++)
        cr_assert_eq(guess("ann", "10.0.0.1"), 0);
}

Test(login_throttle, logins_to_an_own_account_do_not_pay_for_guesses_at_others)
{
    char account[16];
    unsigned passed = 0;
    for (int i = 0; i < 1000; i++) {
        snprintf(account, sizeof account, "user%d", i);
        passed += guess(account, "10.0.0.1") == 0;
        if (guess("mine", "10.0.0.1") == 0)
            login_throttle_succeed(throttle, "mine", "10.0.0.1", NOW);
    }
    cr_assert_eq(passed, 20);
}

Test(login_throttle, a_throttled_account_gives_a_stranger_one_try_a_minute)
{
    guess_from_many("ann", 30);
    cr_assert_eq(guess("ann", "192.0.2.1"), 0);
    cr_assert_eq(guess("ann", "192.0.2.1"), MINUTE);
    cr_assert_eq(guess("bob", "192.0.2.1"), 0);
    cr_assert_eq(guess("bob", "192.0.2.1"), 0);
}

Test(login_throttle, the_owner_gets_into_a_throttled_account_from_where_they_were)
{
    log_in("ann", "192.0.2.1");
    guess_from_many("ann", 10000);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(guess("ann", "192.0.2.1"), 0);
    cr_assert_eq(guess("ann", "192.0.2.1"), 15000);
}

Test(login_throttle, the_owner_of_a_throttled_account_gets_in_from_elsewhere_at_the_first_try)
{
    guess_from_many("ann", 10000);
    log_in("ann", "192.0.2.1");
    log_in("ann", "192.0.2.1");
}

Test(login_throttle, throttling_ends_when_the_guesses_end)
{
    guess_from_many("ann", 10000);
    uint64_t later = NOW + 8 * MINUTE;
    for (int i = 0; i < 5; i++)
        cr_assert_eq(login_throttle_try(throttle, "ann", "192.0.2.1", later), 0);
}

Test(login_throttle, the_owner_is_not_forgotten_over_failures_of_strangers)
{
    log_in("ann", "192.0.2.1");
    guess_from_many("other", 100000);
    cr_assert(login_throttle_knows(throttle, "ann", "192.0.2.1", NOW + 89 * DAY));
    cr_assert_not(login_throttle_knows(throttle, "ann", "192.0.2.1", NOW + 91 * DAY));
    cr_assert_not(login_throttle_knows(throttle, "ann", "192.0.2.2", NOW));
    cr_assert_not(login_throttle_knows(throttle, "bob", "192.0.2.1", NOW));
}

Test(login_throttle, addresses_of_one_ipv6_network_are_one)
{
    char peer[64];
    for (int i = 0; i < 5; i++) {
        snprintf(peer, sizeof peer, "2001:db8:1:2:%x::1", i);
        cr_assert_eq(guess("ann", peer), 0);
    }
    cr_assert_eq(guess("ann", "2001:db8:1:2::9"), 15000);
    cr_assert_eq(guess("ann", "2001:db8:1:3::9"), 0);
}

Test(login_throttle, a_try_that_was_never_decided_is_not_counted)
{
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(guess("ann", "10.0.0.1"), 0);
        login_throttle_forget(throttle, "ann", "10.0.0.1", NOW);
    }
}
