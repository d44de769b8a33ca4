// client_deadlines_test.c - which clients are late, by how much, and which are cut.
#include "gateway/http/client_deadlines.h"

#include <criterion/criterion.h>

enum { SECOND = 1000 };

Test(client_deadlines, header_has_ten_seconds_whatever_drips_in)
{
    cr_assert_eq(client_deadline_lateness(CLIENT_DEADLINE_HEAD, 0, 0), 0);
    cr_assert_eq(client_deadline_lateness(CLIENT_DEADLINE_HEAD, 9999, 1 << 20),
                 CLIENT_DEADLINE_LOST - 1);
    cr_assert_eq(client_deadline_lateness(CLIENT_DEADLINE_HEAD, 10 * SECOND, 1 << 20),
                 CLIENT_DEADLINE_LOST);
}

Test(client_deadlines, pause_between_requests_has_five_seconds)
{
    cr_assert_lt(client_deadline_lateness(CLIENT_DEADLINE_IDLE, 4 * SECOND, 0),
                 CLIENT_DEADLINE_LOST);
    cr_assert_eq(client_deadline_lateness(CLIENT_DEADLINE_IDLE, 5 * SECOND, 0),
                 CLIENT_DEADLINE_LOST);
}

Test(client_deadlines, bytes_extend_the_credit_of_bodies_and_answers)
{
    static const enum client_deadline_phase phases[] = {CLIENT_DEADLINE_BODY,
                                                        CLIENT_DEADLINE_ANSWER};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(client_deadline_lateness(phases[i], 10 * SECOND, 0), CLIENT_DEADLINE_LOST);
        // 1 MiB is worth 16 seconds.
        cr_assert_eq(client_deadline_lateness(phases[i], 16 * SECOND, 1 << 20), 0);
        cr_assert_lt(client_deadline_lateness(phases[i], 25 * SECOND, 1 << 20),
                     CLIENT_DEADLINE_LOST);
        cr_assert_eq(client_deadline_lateness(phases[i], 26 * SECOND, 1 << 20),
                     CLIENT_DEADLINE_LOST);
    }
}

Test(client_deadlines, client_that_is_ahead_is_never_slow)
{
    cr_assert_lt(client_deadline_lateness(CLIENT_DEADLINE_BODY, SECOND, 8 << 20), 0);
}

Test(client_deadlines, asking_actors_and_no_connection_are_never_late)
{
    cr_assert_eq(client_deadline_lateness(CLIENT_DEADLINE_WORK, 3600 * SECOND, 0), 0);
    cr_assert_eq(client_deadline_lateness(CLIENT_DEADLINE_NONE, 3600 * SECOND, 0), 0);
}

Test(client_deadlines, nobody_is_cut_who_has_credit_and_is_in_nobodys_way)
{
    struct client_deadline_entry runners[] = {{NULL, CLIENT_DEADLINE_LOST - 1, false, 0},
                                              {NULL, CLIENT_DEADLINE_SLOW, false, 0},
                                              {NULL, -5, false, 0}};
    cr_assert_eq(client_deadline_choose(runners, 3, 0, CLIENT_DEADLINE_SLOW), 0);
}

Test(client_deadlines, all_that_are_lost_are_cut)
{
    struct client_deadline_entry runners[] = {{NULL, 3, false, 0},
                                              {NULL, CLIENT_DEADLINE_LOST, false, 0},
                                              {NULL, 900, false, 0},
                                              {NULL, 5000, false, 0}};
    cr_assert_eq(client_deadline_choose(runners, 4, 0, CLIENT_DEADLINE_SLOW), 2);
    cr_assert_eq(runners[0].lateness, 5000);
    cr_assert_eq(runners[1].lateness, CLIENT_DEADLINE_LOST);
}

Test(client_deadlines, slowest_are_cut_first_and_no_more_than_wanted)
{
    int names[4];
    struct client_deadline_entry runners[] = {{&names[0], 100, false, 0},
                                              {&names[1], 400, false, 0},
                                              {&names[2], 30, false, 0},
                                              {&names[3], 200, false, 0}};
    cr_assert_eq(client_deadline_choose(runners, 4, 2, CLIENT_DEADLINE_SLOW), 2);
    cr_assert_eq(runners[0].watch, &names[1]);
    cr_assert_eq(runners[1].watch, &names[3]);
}

Test(client_deadlines, who_keeps_pace_is_not_cut_however_many_are_wanted)
{
    struct client_deadline_entry runners[] = {{NULL, CLIENT_DEADLINE_SLOW - 1, false, 0},
                                              {NULL, 0, false, 0},
                                              {NULL, CLIENT_DEADLINE_SLOW, false, 0}};
    cr_assert_eq(client_deadline_choose(runners, 3, 3, CLIENT_DEADLINE_SLOW), 1);
}

Test(client_deadlines, the_lost_count_among_the_wanted)
{
    struct client_deadline_entry runners[] = {
        {NULL, CLIENT_DEADLINE_LOST, false, 0}, {NULL, 500, false, 0}, {NULL, 400, false, 0}};
    cr_assert_eq(client_deadline_choose(runners, 3, 2, CLIENT_DEADLINE_SLOW), 2);
}

Test(client_deadlines, those_that_hold_memory_come_first)
{
    int names[4];
    struct client_deadline_entry entries[] = {{&names[0], 1, false, 0},
                                              {&names[1], 2, true, 0},
                                              {&names[2], 3, false, 0},
                                              {&names[3], 4, true, 0}};
    cr_assert_eq(client_deadline_holders(entries, 4), 2);
    cr_assert_eq(entries[0].watch, &names[1]);
    cr_assert_eq(entries[1].watch, &names[3]);
    cr_assert_eq(client_deadline_holders(entries, 0), 0);
}

Test(client_deadlines, who_holds_memory_that_others_wait_for_must_keep_a_higher_rate)
{
    enum { PACE = 64 * 1024 };
    cr_assert_eq(client_deadline_lateness(CLIENT_DEADLINE_REST, 60 * SECOND, 60 * PACE), 0);
    cr_assert_lt(client_deadline_holder_lateness(SECOND, PACE), CLIENT_DEADLINE_IDLE_HOLDER);
    cr_assert_geq(client_deadline_holder_lateness(2 * SECOND, 2 * PACE),
                  CLIENT_DEADLINE_IDLE_HOLDER);
    cr_assert_leq(client_deadline_holder_lateness(60 * SECOND, 60 << 20), 0);
}

Test(client_deadlines, of_those_that_hold_memory_no_more_are_cut_than_wait)
{
    int names[3];
    struct client_deadline_entry entries[] = {{&names[0], 0, true, 90 * CLIENT_DEADLINE_LOST},
                                              {&names[1], 0, true, 20 * CLIENT_DEADLINE_LOST},
                                              {&names[2], 0, true, 200}};
    size_t count = client_deadline_holders(entries, 3);
    cr_assert_eq(count, 3);
    cr_assert_eq(client_deadline_choose(entries, count, 0, CLIENT_DEADLINE_IDLE_HOLDER), 0);
    cr_assert_eq(client_deadline_choose(entries, count, 1, CLIENT_DEADLINE_IDLE_HOLDER), 1);
    cr_assert_eq(entries[2].watch, &names[2]);
}
