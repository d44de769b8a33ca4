// lane_claim_test.c - a start takes the place of all who wrote before.
#include "actors/runtime/lane_claim.h"

#include <criterion/criterion.h>

#include "actors/runtime/actor_family.h"
#include "store/key.h"
#include "tests/support/engines.h"

static struct engine_fixture fixture;

// What is claimed is any store that others reach; which engine makes no difference.
static void
begin(void)
{
    engine_fixture_init(&fixture, 0);
    fixture.store->is_shared = true;
}

static void
end(void)
{
    engine_fixture_finish(&fixture);
}

TestSuite(lane_claim, .init = begin, .fini = end);

static enum store_result
put_marker(enum family family, uint64_t number, store_version_t guard)
{
    const struct key key = key_of_number(KEY_COMMIT, number);
    const struct store_guard guards[] = {{{family, COMMIT_PART, key_bytes(&key)}, guard}};
    const struct store_operation put = {.address = guards[0].address};
    const struct store_commit commit = {.id = store_version_new(),
                                        .guards = guards,
                                        .guard_count = guard != 0,
                                        .operations = &put,
                                        .operation_count = 1};
    return store_commit(fixture.store, &commit, 0);
}

static store_version_t
claim(unsigned shards)
{
    store_version_t last = 0;
    const struct lane_family families[] = {
        {FAMILY_SCENE, shards}, {FAMILY_ASSET, 1}, {FAMILY_USER, 1}};
    cr_assert_eq(lane_claim(fixture.store, families, 3, &last), OK, "%s", fault_last()->detail);
    return last;
}

Test(lane_claim, a_store_of_one_process_is_left_alone)
{
    const struct key key = key_of_number(KEY_COMMIT, 0);
    fixture.store->is_shared = false;
    cr_assert_eq(claim(2), 0);
    check_absent(fixture.store, (struct store_address){FAMILY_SCENE, COMMIT_PART, key_bytes(&key)});
}

Test(lane_claim, all_committers_of_a_process_go_on_from_one_version)
{
    store_version_t last = claim(2);
    cr_assert_eq(put_marker(FAMILY_SCENE, 0, last), STORE_OK);
    cr_assert_eq(put_marker(FAMILY_SCENE, 1, last), STORE_OK);
    cr_assert_eq(put_marker(FAMILY_ASSET, 0, last), STORE_OK);
    cr_assert_eq(put_marker(FAMILY_USER, 0, last), STORE_OK);
    cr_assert_eq(put_marker(FAMILY_SCENE, 2, last), STORE_CONFLICT);
}

Test(lane_claim, none_of_before_writes_any_more_though_there_were_more_of_them)
{
    store_version_t before = claim(6), now = claim(1);
    cr_assert_neq(before, now);
    for (uint64_t i = 0; i < 6; i++)
        cr_assert_eq(put_marker(FAMILY_SCENE, i, before), STORE_CONFLICT);
    cr_assert_eq(put_marker(FAMILY_ASSET, 0, before), STORE_CONFLICT);
    cr_assert_eq(put_marker(FAMILY_USER, 0, before), STORE_CONFLICT);
    cr_assert_eq(put_marker(FAMILY_SCENE, 0, now), STORE_OK);
}
