// charge_hold_test.c - who takes charge is the only one that writes from then on.
#include "actors/standby/charge_hold.h"

#include <criterion/criterion.h>

#include "proto/message/lease.h"
#include "store/fence.h"
#include "tests/support/engines.h"

static struct engine_fixture fixture;
static struct config config;
static charge_keeper_t *keeper;

// Which engine the store has makes no difference.
static void
begin(void)
{
    engine_fixture_init(&fixture, 0);
    fixture.store->is_shared = true;
    config = (struct config){
        .data_dir = fixture.directory.path, .http_host = "127.0.0.1", .http_port = 8123};
}

static void
end(void)
{
    charge_keeper_destroy(&keeper);
    engine_fixture_finish(&fixture);
}

TestSuite(charge_hold, .init = begin, .fini = end);

static void
ignore(void)
{
}

static enum store_result
put_marker(store_version_t guard, store_version_t id)
{
    const struct key key = key_of_number(KEY_COMMIT, 3);
    const struct store_guard guards[] = {{{FAMILY_ASSET, COMMIT_PART, key_bytes(&key)}, guard}};
    const struct store_operation put = {.address = guards[0].address};
    const struct store_commit commit = {.id = id,
                                        .guards = guards,
                                        .guard_count = 1,
                                        .operations = &put,
                                        .operation_count = 1,
                                        .is_fenced = true};
    return store_commit(fixture.store, &commit, 0);
}

Test(charge_hold, committers_of_before_write_nothing_any_more)
{
    cr_assert_eq(put_marker(0, 7), STORE_OK);
    cr_assert_eq(charge_hold_soon(fixture.store, &config, ignore, &keeper), OK);
    cr_assert_eq(put_marker(7, 8), STORE_CONFLICT);
}

// As another process does, which nobody told this one of.
static void
take_the_place(void)
{
    const struct charge other = {.state = CHARGE_HELD, .process = 7, .name = "10.0.0.7:8080"};
    struct seen_charge seen;
    do
        cr_assert_eq(charge_read(fixture.store, 0, &seen), STORE_OK);
    while (charge_seize(fixture.store, &other, 0, &seen) != STORE_OK);
}

Test(charge_hold, nothing_else_is_written_once_another_has_the_place)
{
    cr_assert_eq(charge_hold_soon(fixture.store, &config, ignore, &keeper), OK);
    cr_assert_eq(commit_one(fixture.store, PUT("key", "1"), 5), STORE_OK);
    take_the_place();
    cr_assert_eq(commit_one(fixture.store, PUT("key", "2"), 6), STORE_UNAVAILABLE);
    check_record(fixture.store, AT("key"), 5, BYTES("1"));
    cr_assert(lease_is_lost());
}

Test(charge_hold, a_store_of_one_process_is_left_alone)
{
    fixture.store->is_shared = false;
    cr_assert_eq(charge_hold_soon(fixture.store, &config, ignore, &keeper), OK);
    cr_assert_null(keeper);
    check_absent(fixture.store, fence_place());
}
