// lane_test.c - what became of a commit that nobody answered, whichever way it went; and the place
// of a committer that another process took.
#include "actors/runtime/lane.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "proto/base/log.h"
#include "store/fault.h"
#include "tests/support/engines.h"

enum { BEGUN = 40, COMMIT = 50, OTHER = 60 };

static struct engine_fixture fixture;
static struct lane lane;
static const struct store_address marker = {FAMILY_SCENE, PART, {"marker", 6}};

static enum store_result
put_marker(store_version_t guard, store_version_t id)
{
    const struct store_guard guards[] = {{marker, guard}};
    const struct store_operation put = {.address = marker};
    const struct store_commit commit = {.id = id,
                                        .guards = guards,
                                        .guard_count = guard != 0,
                                        .operations = &put,
                                        .operation_count = 1};
    return store_commit(fixture.store, &commit, 0);
}

static void
begin(void)
{
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    engine_fixture_init(&fixture, 0);
    lane = (struct lane){.store = fixture.store, .name = "committer", .last = BEGUN};
    cr_assert_eq(put_marker(0, BEGUN), STORE_OK);
}

static void
end(void)
{
    engine_fixture_finish(&fixture);
}

TestSuite(lane, .init = begin, .fini = end);

static enum store_result
settle(enum store_result result)
{
    return lane_settle(&lane, &marker, COMMIT, result);
}

Test(lane, a_commit_that_was_written_is_the_last_one)
{
    cr_assert_eq(settle(STORE_OK), STORE_OK);
    cr_assert_eq(lane.last, COMMIT);
}

Test(lane, what_is_refused_leaves_the_last_one)
{
    cr_assert_eq(settle(STORE_FULL), STORE_FULL);
    cr_assert_eq(settle(STORE_UNAVAILABLE), STORE_UNAVAILABLE);
    cr_assert_eq(lane.last, BEGUN);
}

Test(lane, an_unknown_commit_that_was_not_written_never_will_be)
{
    cr_assert_eq(settle(STORE_UNKNOWN), STORE_UNAVAILABLE);
    cr_assert_eq(put_marker(BEGUN, COMMIT), STORE_CONFLICT, "it came late and was written");
    cr_assert_eq(put_marker(lane.last, OTHER), STORE_OK);
    cr_assert_not(lane.is_lost);
}

Test(lane, an_unknown_commit_that_was_written_is_told_so)
{
    cr_assert_eq(put_marker(BEGUN, COMMIT), STORE_OK);
    cr_assert_eq(settle(STORE_UNKNOWN), STORE_OK);
    cr_assert_eq(put_marker(lane.last, OTHER), STORE_OK);
    cr_assert_not(lane.is_lost);
}

Test(lane, an_unknown_commit_of_a_place_that_was_taken_is_lost)
{
    cr_assert_eq(put_marker(0, OTHER), STORE_OK);
    cr_assert_eq(settle(STORE_UNKNOWN), STORE_CONFLICT);
    cr_assert(lane.is_lost);
}

Test(lane, a_conflict_is_a_place_that_was_taken_where_the_marker_is_another_one)
{
    cr_assert_eq(settle(STORE_CONFLICT), STORE_CONFLICT);
    cr_assert_not(lane.is_lost);
    cr_assert_eq(put_marker(0, OTHER), STORE_OK);
    cr_assert_eq(settle(STORE_CONFLICT), STORE_CONFLICT);
    cr_assert(lane.is_lost);
}

// ---------------------------------------------------------------- faults while it is decided

static store_version_t
version_of_marker(void)
{
    store_version_t version = 0;
    void *value = NULL;
    size_t size;
    cr_assert_eq(store_get(fixture.store, &marker, 0, &version, &value, &size), STORE_OK);
    free(value);
    return version;
}

// Every second put of a verdict is answered UNKNOWN, and every second of those was written.
static void
check_under_faults(bool is_written, enum store_result expected)
{
    store_t *inner = fixture.store;
    if (is_written)
        cr_assert_eq(put_marker(BEGUN, COMMIT), STORE_OK);
    cr_assert_eq(fault_wrap(&inner, "unknown=2", &fixture.store), OK);
    lane.store = fixture.store;
    cr_assert_eq(settle(STORE_UNKNOWN), expected);
    for (store_version_t id = 70; id < 78; id++)
        cr_assert_eq(lane_settle(&lane, &marker, id, STORE_UNKNOWN), STORE_UNAVAILABLE);
    cr_assert_not(lane.is_lost);
    cr_assert_eq(version_of_marker(), lane.last);
}

Test(lane, what_was_not_written_is_decided_although_decisions_are_unknown_too)
{
    check_under_faults(false, STORE_UNAVAILABLE);
}

Test(lane, what_was_written_is_decided_although_decisions_are_unknown_too)
{
    check_under_faults(true, STORE_OK);
}
