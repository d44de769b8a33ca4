// lease_index_test.c - leases end in the order of their times, and go with their scenes.

#include "actors/scene/lease_index.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_state.h"

static struct lease_index leases;
static struct scene_state hall, lobby;
static struct arena arena;

static void
begin(void)
{
    leases = (struct lease_index){0};
    hall = lobby = (struct scene_state){0};
}

static void
end(void)
{
    lease_index_finish(&leases);
    arena_finish(&arena);
}

TestSuite(lease_index, .init = begin, .fini = end);

enum { SECOND = 1000000 };

static struct lease *
put(struct scene_state *scene, const char *key, int64_t lease_s, uint64_t now_us)
{
    return lease_index_put(&leases, scene, text_from(&arena, key), lease_s, now_us);
}

static struct lease *
find(const struct scene_state *scene, const char *key)
{
    return lease_index_find(&leases, scene, text_from(&arena, key));
}

Test(lease_index, leases_end_in_the_order_of_their_times_and_not_before)
{
    struct lease *late = put(&hall, "cup", 3, 0), *soon = put(&lobby, "door", 1, 0);
    cr_assert_eq(lease_index_due_us(&leases), SECOND);
    cr_assert_null(lease_index_ended(&leases, SECOND - 1));
    cr_assert_eq(lease_index_ended(&leases, SECOND), soon);
    lease_index_drop(&leases, soon);
    cr_assert_null(lease_index_ended(&leases, 3 * SECOND - 1));
    cr_assert_eq(lease_index_ended(&leases, 3 * SECOND), late);
}

Test(lease_index, a_lease_that_was_renewed_ends_later)
{
    struct lease *lease = put(&hall, "cup", 2, 0);
    lease_renew(lease, SECOND);
    cr_assert_null(lease_index_ended(&leases, 3 * SECOND - 1));
    cr_assert_eq(lease_index_due_us(&leases), 3 * SECOND);
    cr_assert_eq(lease_index_ended(&leases, 3 * SECOND), lease);
}

Test(lease_index, a_lease_that_is_put_again_is_the_same_one)
{
    struct lease *lease = put(&hall, "cup", 1, 0);
    cr_assert_eq(put(&hall, "cup", 5, SECOND), lease);
    cr_assert_null(lease_index_ended(&leases, 6 * SECOND - 1));
    cr_assert_eq(lease_index_ended(&leases, 6 * SECOND), lease);
}

Test(lease_index, what_is_postponed_comes_again)
{
    struct lease *lease = put(&hall, "cup", 1, 0);
    lease_index_postpone(&leases, lease, 2 * SECOND);
    cr_assert_null(lease_index_ended(&leases, 2 * SECOND - 1));
    cr_assert_eq(lease_index_ended(&leases, 2 * SECOND), lease);
}

Test(lease_index, two_scenes_may_have_objects_of_one_key)
{
    struct lease *here = put(&hall, "cup", 1, 0), *there = put(&lobby, "cup", 1, 0);
    cr_assert_neq(here, there);
    cr_assert_eq(find(&hall, "cup"), here);
    lease_index_drop(&leases, here);
    cr_assert_null(find(&hall, "cup"));
    cr_assert_null(hall.leases);
    cr_assert_eq(find(&lobby, "cup"), there);
}

Test(lease_index, leases_of_an_earlier_start_run_from_the_beginning_of_this_one)
{
    leases.is_waiting = true;
    struct lease *lease = put(&hall, "cup", 2, 0);
    cr_assert_eq(lease_index_due_us(&leases), 0);
    cr_assert_null(lease_index_ended(&leases, 100 * SECOND));
    lease_index_begin(&leases, 100 * SECOND);
    cr_assert_null(lease_index_ended(&leases, 102 * SECOND - 1));
    cr_assert_eq(lease_index_ended(&leases, 102 * SECOND), lease);
    lease_index_begin(&leases, 101 * SECOND);
    cr_assert_eq(lease_index_ended(&leases, 102 * SECOND), lease);
}

Test(lease_index, leases_of_a_scene_that_is_gone_are_freed_some_at_a_time)
{
    enum { MANY = 600 };
    for (int i = 0; i < MANY; i++)
        put(&hall, text_chars(text_format(&arena, "cup-%d", i)), 1, 0);
    struct lease *other = put(&lobby, "door", 2, 0);
    lease_index_forget(&leases, &hall);
    cr_assert_null(hall.leases);
    cr_assert_null(find(&hall, "cup-1"));
    lease_index_trim(&leases);
    cr_assert_not_null(leases.dead);
    cr_assert_gt(leases.timers.count, 1);
    cr_assert_eq(lease_index_ended(&leases, 2 * SECOND), other);
    while (leases.dead)
        lease_index_trim(&leases);
    cr_assert_eq(leases.timers.count, 1);
}
