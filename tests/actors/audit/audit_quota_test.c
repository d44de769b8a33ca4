// audit_quota_test.c - how many lines a source has in a day.
#include "actors/audit/audit_quota.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct audit_quota quota;

static void
end(void)
{
    audit_quota_finish(&quota);
}

TestSuite(audit_quota, .fini = end);

static unsigned
take(struct audit_event event, unsigned times, uint64_t now_ms)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < times; i++)
        taken += audit_quota_take(&quota, &event, now_ms);
    return taken;
}

Test(audit_quota, user_has_so_many_a_day_and_others_have_theirs)
{
    const struct audit_event ann = {.user = "ann", .address = "10.0.0.1"};
    const struct audit_event bob = {.user = "bob", .address = "10.0.0.1"};
    cr_assert_eq(take(ann, 1000, 5), AUDIT_QUOTA_LINES);
    cr_assert_eq(take(bob, 10, 6), 10);
    cr_assert_eq(take(ann, 1, 5 + AUDIT_QUOTA_MS - 1), 0);
    cr_assert_eq(take(ann, 1, 5 + AUDIT_QUOTA_MS), 1);
}

Test(audit_quota, login_counts_for_its_account)
{
    const struct audit_event ann = {.key = "ann", .address = "10.0.0.1"};
    const struct audit_event bob = {.key = "bob", .address = "10.0.0.1"};
    cr_assert_eq(take(ann, 1000, 5), AUDIT_QUOTA_LINES);
    cr_assert_eq(take(bob, 1, 5), 1);
}

Test(audit_quota, administrators_and_the_server_are_not_counted)
{
    const struct audit_event admin = {.user = "root", .address = "10.0.0.1", .is_by_admin = true};
    const struct audit_event server = {.key = "ann"};
    cr_assert_eq(take(admin, 1000, 5), 1000);
    cr_assert_eq(take(server, 1000, 5), 1000);
}

Test(audit_quota, sources_are_bounded)
{
    struct audit_event event = {.address = "10.0.0.1"};
    for (int i = 0; i < AUDIT_QUOTA_SOURCES + 10; i++) {
        snprintf(event.user, sizeof event.user, "user%d", i);
        cr_assert(audit_quota_take(&quota, &event, 5));
    }
    cr_assert_leq(quota.sources.count, AUDIT_QUOTA_SOURCES);
}
