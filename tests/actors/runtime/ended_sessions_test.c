// ended_sessions_test.c - whose sessions have ended, and for how long that is known.
#include "actors/runtime/ended_sessions.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { NOW_MS = 1000, KEPT_MS = 10000, MANY = 5000 };

static struct ended_sessions sessions;

static void
begin(void)
{
    ended_sessions_init(&sessions, KEPT_MS);
}

static void
end(void)
{
    ended_sessions_finish(&sessions);
}

TestSuite(ended_sessions, .init = begin, .fini = end);

static enum error
check(const char *user, int64_t revocations)
{
    struct caller caller = {.revocations = revocations};
    snprintf(caller.user, sizeof caller.user, "%s", user);
    return ended_sessions_check(&sessions, &caller);
}

Test(ended_sessions, nobody_is_refused_at_first)
{
    cr_expect_eq(check("", 0), OK);
    cr_expect_eq(check("bob", 0), OK);
    cr_expect_eq(ended_sessions_before(&sessions, "bob"), 0);
}

Test(ended_sessions, sessions_of_before_are_refused_and_later_ones_are_not)
{
    ended_sessions_add(&sessions, "bob", 2, NOW_MS);
    cr_expect_eq(check("bob", 1), ERR_UNAUTHENTICATED);
    cr_expect_eq(check("bob", 2), OK);
    cr_expect_eq(check("ann", 1), OK);
    cr_expect_eq(check("", 0), OK);
}

Test(ended_sessions, an_effect_that_comes_late_takes_nothing_back)
{
    ended_sessions_add(&sessions, "bob", 3, NOW_MS);
    ended_sessions_add(&sessions, "bob", 2, NOW_MS);
    cr_expect_eq(check("bob", 2), ERR_UNAUTHENTICATED);
    cr_expect_eq(check("bob", 3), OK);
}

Test(ended_sessions, who_is_gone_has_no_session_left)
{
    ended_sessions_add(&sessions, "bob", 3, NOW_MS);
    ended_sessions_add(&sessions, "bob", ALL_SESSIONS, NOW_MS);
    cr_expect_eq(check("bob", 1000000), ERR_UNAUTHENTICATED);
    cr_expect_eq(ended_sessions_before(&sessions, "bob"), ALL_SESSIONS);
}

// Else whoever ends many accounts of their own at once could outlive the end of one.
Test(ended_sessions, all_are_remembered_for_as_long_as_a_request_may_wait)
{
    char id[USER_ID_SIZE];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(id, sizeof id, "%u", i);
        ended_sessions_add(&sessions, id, 1, NOW_MS);
    }
    ended_sessions_forget(&sessions, NOW_MS + KEPT_MS);
    cr_expect_eq(check("0", 0), ERR_UNAUTHENTICATED);
    cr_expect_eq(check("4999", 0), ERR_UNAUTHENTICATED);
}

Test(ended_sessions, nobody_is_remembered_for_longer)
{
    ended_sessions_add(&sessions, "bob", 1, NOW_MS);
    ended_sessions_add(&sessions, "ann", 1, NOW_MS + 1);
    ended_sessions_forget(&sessions, NOW_MS + 1 + KEPT_MS);
    cr_expect_eq(check("bob", 0), OK);
    cr_expect_eq(check("ann", 0), ERR_UNAUTHENTICATED);
}

Test(ended_sessions, who_is_noted_again_is_remembered_from_then_on)
{
    ended_sessions_add(&sessions, "bob", 1, NOW_MS);
    ended_sessions_add(&sessions, "bob", 2, NOW_MS + KEPT_MS);
    ended_sessions_forget(&sessions, NOW_MS + 1 + KEPT_MS);
    cr_expect_eq(check("bob", 1), ERR_UNAUTHENTICATED);
}
