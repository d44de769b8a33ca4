// lease_states_test.c - the index of leases follows what everybody sees, and nothing older.

#include "actors/scene/lease_states.h"

#include <criterion/criterion.h>

#include "actors/scene/lock_ledger.h"
#include "proto/base/clock.h"
#include "tests/support/bare_shard.h"

enum { LEASE_S = 60, LATER_US = 1000000000 };

static struct shard *shard;
static struct scene_state *scene;
static struct arena arena;

static void
begin(void)
{
    shard = bare_shard_begin();
    scene = bare_shard_add_scene(shard, "hall", "");
}

static void
end(void)
{
    bare_shard_end();
    arena_finish(&arena);
}

TestSuite(lease_states, .init = begin, .fini = end);

// The object "cup" with a lease of this fence that ends then.
static const frozen_t *
leased(int64_t fence, int64_t until_us)
{
    struct record *object = record_new(&arena, &object_schema);
    struct record *lock = record_new(&arena, &lock_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, "cup"));
    record_set_integer(lock, LOCK_FENCE, fence);
    record_set_integer(lock, LOCK_LEASE, LEASE_S);
    record_set_integer(lock, LOCK_UNTIL, until_us);
    ((struct object *)(void *)object)->rare->lock = lock;
    record_mark(object, OBJECT_LOCKED);
    return record_freeze(&object_schema, object);
}

static const struct lease *
lease_of_cup(void)
{
    return lease_index_find(&shard->leases, scene, text_from(&arena, "cup"));
}

static int64_t
until_of(const frozen_t *object)
{
    return object_lock_of(frozen_record(object))->until_us;
}

static void
follow(int64_t fence, int64_t until_us)
{
    const frozen_t *object = leased(fence, until_us);
    lease_states_follow(shard, scene, object);
    record_unref(&object);
}

// Until when the lease is shown that a record of the store has.
static int64_t
shown(int64_t fence, int64_t until_us, bool is_apart)
{
    const frozen_t *stored = leased(fence, until_us);
    const frozen_t *object = is_apart ? lease_states_shown_apart(shard, scene, stored)
                                      : lease_states_shown(shard, scene, stored);
    int64_t ends_us = until_of(object);
    record_unref(&object);
    record_unref(&stored);
    return ends_us;
}

// A start has read that "cup" has a lease.
static void
know_lease(void)
{
    lock_ledger_lease_known(shard, scene, text_from(&arena, "cup"), LEASE_S);
}

static void
check_ends_a_minute_from_now(int64_t until_us)
{
    int64_t apart_us = until_us - (int64_t)clock_calendar_us() - LEASE_S * 1000000LL;
    cr_assert(-10000000 < apart_us && apart_us < 10000000, "%ld", (long)apart_us);
}

Test(lease_states, an_older_lease_that_is_read_apart_leaves_the_newer_one_as_it_is)
{
    follow(2, LATER_US);
    cr_assert_eq(shown(1, 7, true), 7);
    cr_assert_eq(lease_of_cup()->fence, 2);
    cr_assert_eq(lease_of_cup()->until_us, LATER_US);
}

Test(lease_states, an_older_end_of_the_same_lease_that_is_read_apart_leaves_the_newer_one)
{
    follow(2, LATER_US);
    check_ends_a_minute_from_now(shown(2, 7, true));
    cr_assert_eq(lease_of_cup()->until_us, LATER_US);
}

Test(lease_states, a_lease_that_has_ended_does_not_come_back_where_it_is_read_apart)
{
    follow(1, LATER_US);
    lease_states_forget(shard, scene, text_from(&arena, "cup"));
    cr_assert_eq(shown(1, LATER_US, true), LATER_US);
    cr_assert_null(lease_of_cup());
}

Test(lease_states, what_is_read_apart_after_a_start_is_shown_with_the_end_that_it_has_now)
{
    know_lease();
    check_ends_a_minute_from_now(shown(5, 7, true));
}

Test(lease_states, what_is_read_with_its_scene_is_what_its_lease_says)
{
    know_lease();
    int64_t until_us = shown(5, 7, false);
    check_ends_a_minute_from_now(until_us);
    cr_assert_eq(lease_of_cup()->fence, 5);
    cr_assert_eq(lease_of_cup()->until_us, until_us);
}

Test(lease_states, an_end_that_is_right_to_the_millisecond_stays_as_it_is)
{
    know_lease();
    int64_t until_us = shown(5, 7, false);
    cr_assert_eq(shown(5, until_us, false), until_us);
    cr_assert_eq(shown(5, until_us, true), until_us);
}

Test(lease_states, a_record_that_comes_after_the_end_of_its_scene_brings_no_lease_back)
{
    scene->is_indexed = false;
    cr_assert_eq(shown(1, LATER_US, false), LATER_US);
    cr_assert_null(lease_of_cup());
    scene->is_indexed = true; // as its end here expects it
}
