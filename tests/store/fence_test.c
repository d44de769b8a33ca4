// fence_test.c - what is written by who is not in charge any more, and which records are a fence.
#include "store/fence.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/message/lease.h"
#include "tests/support/engines.h"

static void
put_fence(store_t *store, store_version_t id)
{
    const struct store_operation put = {.address = fence_place()};
    const struct store_commit commit = {
        .id = id, .operations = &put, .operation_count = 1, .is_fenced = true};
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
}

CONTRACT(fence, holds_while_nobody_else_took_charge)
{
    put_fence(fixture->store, 7);
    fence_set(fixture->store, 7);
    cr_assert_eq(commit_one(fixture->store, PUT("key", "1"), 8), STORE_OK);
    cr_assert_eq(commit_one(fixture->store, DELETE("key"), 9), STORE_OK);
    cr_assert_not(lease_is_lost());
}

CONTRACT(fence, keeps_out_what_comes_late)
{
    put_fence(fixture->store, 7);
    fence_set(fixture->store, 7);
    put_fence(fixture->store, 8);
    cr_assert_eq(commit_one(fixture->store, PUT("key", "1"), 9), STORE_UNAVAILABLE);
    check_absent(fixture->store, AT("key"));
    cr_assert(lease_is_lost());
}

CONTRACT(fence, is_not_asked_for_by_what_has_its_own)
{
    const struct store_operation put = PUT("key", "1");
    const struct store_commit commit = {
        .id = 9, .operations = &put, .operation_count = 1, .is_fenced = true};
    put_fence(fixture->store, 7);
    fence_set(fixture->store, 6);
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_OK);
}

// A conflict of a guard of its own stays one.
CONTRACT(fence, leaves_other_guards_as_they_are)
{
    const struct store_guard guard = {AT("key"), 5};
    const struct store_operation put = PUT("key", "1");
    const struct store_commit commit = {
        .id = 9, .guards = &guard, .guard_count = 1, .operations = &put, .operation_count = 1};
    put_fence(fixture->store, 7);
    fence_set(fixture->store, 7);
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_CONFLICT);
    cr_assert_not(lease_is_lost());
}

Test(fence, own_records_are_markers_charge_and_fence)
{
    const struct key marker = key_of_number(KEY_COMMIT, 3);
    cr_assert(fence_is_own(FAMILY_USER, COMMIT_PART, key_bytes(&marker)));
    cr_assert(fence_is_own(FAMILY_STREAMER, 0, fence_place().key));
    cr_assert(fence_is_own(FAMILY_STREAMER, 0, BYTES("C")));
    cr_assert(fence_is_own(FAMILY_STREAMER, 0, BYTES("B")));
    cr_assert_not(fence_is_own(FAMILY_USER, 0, key_bytes(&marker)));
    cr_assert_not(fence_is_own(FAMILY_USER, COMMIT_PART, BYTES("Zebra")));
    cr_assert_not(fence_is_own(FAMILY_SCENE, 0, BYTES("C")));
    cr_assert_not(fence_is_own(FAMILY_STREAMER, 0, BYTES("N")));
    cr_assert_not(fence_is_own(FAMILY_STREAMER, 0, BYTES("")));
}
