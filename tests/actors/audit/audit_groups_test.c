// audit_groups_test.c - when the lines of counted events are told, and what they count.
#include "actors/audit/audit_groups.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct audit_groups groups;
static unsigned told;
static uint64_t counted;
static char first_scene[AUDIT_NAME_SIZE], first_request[AUDIT_REQUEST_SIZE],
    last_request[AUDIT_REQUEST_SIZE];

static void
end(void)
{
    audit_groups_finish(&groups);
}

TestSuite(audit_groups, .fini = end);

static void
note(void *context, const struct audit_event *first, uint64_t count, const char *last)
{
    (void)context;
    told++;
    counted += count;
    snprintf(first_request, sizeof first_request, "%s", first->request);
    snprintf(first_scene, sizeof first_scene, "%s", first->scene);
    snprintf(last_request, sizeof last_request, "%s", last);
}

static struct audit_event
event_of(const char *user, const char *scene, const char *request)
{
    struct audit_event event = {.operation = "OBJECT_UPDATE", .outcome = 200};
    snprintf(event.user, sizeof event.user, "%s", user);
    snprintf(event.scene, sizeof event.scene, "%s", scene);
    snprintf(event.request, sizeof event.request, "%s", request);
    return event;
}

static bool
add(const char *user, const char *scene, const char *request, uint64_t now_ms)
{
    struct audit_event event = event_of(user, scene, request);
    return audit_groups_add(&groups, &event, now_ms);
}

static void
tell(uint64_t now_ms)
{
    audit_groups_tell(&groups, now_ms, false, note, NULL);
}

Test(audit_groups, line_counts_and_names_the_first_and_the_last_request)
{
    add("ann", "hall", "r1", 100);
    add("ann", "hall", "r2", 200);
    add("ann", "hall", "r3", 300);
    tell(300 + AUDIT_GROUP_QUIET_MS - 1);
    cr_assert_eq(told, 0);
    tell(300 + AUDIT_GROUP_QUIET_MS);
    cr_assert_eq(told, 1);
    cr_assert_eq(counted, 3);
    cr_assert_str_eq(first_request, "r1");
    cr_assert_str_eq(last_request, "r3");
}

Test(audit_groups, users_and_scenes_are_counted_apart)
{
    add("ann", "hall", "r1", 100);
    add("ann", "yard", "r2", 100);
    add("bob", "hall", "r3", 100);
    tell(100 + AUDIT_GROUP_QUIET_MS);
    cr_assert_eq(told, 3);
}

Test(audit_groups, what_follows_in_the_minute_is_told_at_its_end)
{
    add("ann", "hall", "r1", 100);
    tell(5000);
    add("ann", "hall", "r2", 6000);
    tell(20000);
    add("ann", "hall", "r3", 30000);
    tell(40000);
    cr_assert_eq(told, 1);
    tell(100 + AUDIT_GROUP_MS);
    cr_assert_eq(told, 2);
    cr_assert_eq(counted, 3);
    cr_assert_str_eq(first_request, "r2");
}

Test(audit_groups, one_that_never_pauses_has_its_line_after_a_minute)
{
    for (uint64_t now_ms = 0; now_ms < AUDIT_GROUP_MS; now_ms += 500) {
        add("ann", "hall", "r", now_ms);
        tell(now_ms);
    }
    cr_assert_eq(told, 0);
    tell(AUDIT_GROUP_MS);
    cr_assert_eq(told, 1);
    cr_assert_eq(groups.table.count, 0);
}

Test(audit_groups, refuses_more_than_fit_and_takes_them_after_all_were_told)
{
    char scene[16];
    for (int i = 0; i < AUDIT_GROUPS_MOST; i++) {
        snprintf(scene, sizeof scene, "s%d", i);
        cr_assert(add("ann", scene, "r", 1));
    }
    cr_assert(add("ann", "s7", "r", 1), "its group is there");
    cr_assert_not(add("ann", "new", "r", 1));
    audit_groups_tell(&groups, 1, true, note, NULL);
    cr_assert_eq(told, AUDIT_GROUPS_MOST);
    cr_assert_eq(counted, AUDIT_GROUPS_MOST + 1);
    cr_assert(add("ann", "new", "r", 1));
}

Test(audit_groups, what_a_stranger_is_refused_is_one_group_for_all_places)
{
    for (int i = 0; i < 100; i++) {
        struct audit_event event = event_of("", i % 2 ? "hall" : "yard", "r");
        event.kind = AUDIT_MINUTE;
        event.outcome = 401;
        cr_assert(audit_groups_add(&groups, &event, 1));
    }
    audit_groups_tell(&groups, 1, true, note, NULL);
    cr_assert_eq(told, 1);
    cr_assert_eq(counted, 100);
    cr_assert_str_eq(first_scene, "", "not one place for all");
}
