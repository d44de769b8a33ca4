// device_sessions_test.c - sessions of a device, and which of its corrections count.
#include "actors/alignment/device_sessions.h"

#include <criterion/criterion.h>

enum { DEVICE = 77, HALL = 1, YARD = 2, ATTIC = 3 };

static struct statement
statement(uint64_t scene_id, uint64_t since_us, uint64_t until_us, uint64_t time_us)
{
    return (struct statement){
        .scene_id = scene_id, .since_us = since_us, .until_us = until_us, .time_us = time_us};
}

static const struct statement *
find(const struct statement *statements, size_t count, uint64_t time_us)
{
    size_t place = 0;
    while (place < count && statements[place].time_us != time_us)
        place++;
    cr_assert_lt(place, count, "no statement of time %zu", (size_t)time_us);
    return &statements[place];
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

Test(device_sessions, registrations_that_overlap_are_one_session)
{
    struct statement said[] = {statement(HALL, 10, 30, 11), statement(YARD, 20, 40, 21)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert_eq(said[0].session, said[1].session);
    cr_assert(said[0].counts);
    cr_assert(said[1].counts);
}

Test(device_sessions, registrations_that_only_touch_are_two_sessions)
{
    struct statement said[] = {statement(HALL, 10, 20, 11), statement(YARD, 20, 40, 21)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert_neq(said[0].session, said[1].session);
}

Test(device_sessions, a_session_reaches_from_registration_to_registration)
{
    struct statement said[] = {statement(HALL, 10, 20, 11), statement(ATTIC, 28, 0, 29),
                               statement(YARD, 15, 30, 16)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert_eq(find(said, 3, 11)->session, find(said, 3, 29)->session);
}

Test(device_sessions, what_has_not_ended_overlaps_whatever_comes)
{
    struct statement said[] = {statement(HALL, 10, 0, 11), statement(YARD, 1000000, 0, 1000001)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert_eq(said[0].session, said[1].session);
}

Test(device_sessions, the_newest_of_a_session_counts_in_each_scene)
{
    struct statement said[] = {statement(HALL, 10, 0, 12), statement(YARD, 10, 0, 13),
                               statement(HALL, 10, 0, 11), statement(HALL, 10, 0, 14)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert_not(find(said, 4, 11)->counts);
    cr_assert_not(find(said, 4, 12)->counts);
    cr_assert(find(said, 4, 13)->counts);
    cr_assert(find(said, 4, 14)->counts);
}

Test(device_sessions, an_earlier_session_counts_beside_a_later_one)
{
    struct statement said[] = {statement(HALL, 10, 20, 11), statement(HALL, 30, 0, 31)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert(find(said, 2, 11)->counts);
    cr_assert(find(said, 2, 31)->counts);
    cr_assert_neq(said[0].session, said[1].session);
}

Test(device_sessions, one_that_comes_back_while_it_is_elsewhere_supersedes_itself)
{
    struct statement said[] = {statement(HALL, 10, 20, 11), statement(YARD, 15, 0, 16),
                               statement(HALL, 30, 0, 31)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert_not(find(said, 3, 11)->counts);
    cr_assert(find(said, 3, 31)->counts);
}

Test(device_sessions, one_correction_tells_the_end_of_its_registration_for_all)
{
    struct statement said[] = {statement(HALL, 10, 0, 11), statement(HALL, 10, 20, 12),
                               statement(YARD, 25, 0, 26)};
    device_sessions_judge(said, COUNT(said), DEVICE);
    cr_assert_neq(find(said, 3, 11)->session, find(said, 3, 26)->session);
}

Test(device_sessions, order_does_not_matter_and_devices_differ)
{
    struct statement said[] = {statement(HALL, 10, 20, 11), statement(YARD, 15, 30, 16)};
    struct statement turned[] = {said[1], said[0]}, others[] = {said[0], said[1]};
    device_sessions_judge(said, COUNT(said), DEVICE);
    device_sessions_judge(turned, COUNT(turned), DEVICE);
    device_sessions_judge(others, COUNT(others), DEVICE + 1);
    cr_assert_eq(find(said, 2, 11)->session, find(turned, 2, 11)->session);
    cr_assert_neq(find(said, 2, 11)->session, find(others, 2, 11)->session);
}

Test(device_sessions, nothing_said_is_nothing_judged)
{
    device_sessions_judge(NULL, 0, DEVICE);
}
