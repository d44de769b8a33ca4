// charge_take_test.c - when the place of another process is taken, and when it is not.
#include "actors/standby/charge_take.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actors/standby/charge_place.h"
#include "proto/base/clock.h"
#include "proto/message/lease.h"
#include "store/key.h"
#include "tests/support/engines.h"

static struct engine_fixture fixture;
static struct config config;
static struct seen_charge other; // as the other process wrote it last
static unsigned waits;

static void
begin(void)
{
    engine_fixture_init(&fixture, 0);
    config = (struct config){
        .data_dir = fixture.directory.path, .http_host = "127.0.0.1", .http_port = 8123};
}

static void
end(void)
{
    engine_fixture_finish(&fixture);
}

TestSuite(charge_take, .init = begin, .fini = end);

static void
put_other(enum charge_state state, const char *place)
{
    struct charge charge = {.state = state, .process = 7, .name = "10.0.0.7:8080"};
    snprintf(charge.place, sizeof charge.place, "%s", place);
    cr_assert_eq(charge_write(fixture.store, &charge, 0, &other), STORE_OK);
}

static fallible
wait_in_silence(void *context, const char *name)
{
    (void)context;
    waits++;
    cr_assert_str_eq(name, "10.0.0.7:8080");
    return OK;
}

static fallible
let_it_beat(void *context, const char *name)
{
    const unsigned *most = context;
    put_other(CHARGE_HELD, "elsewhere");
    return waits++ < *most ? OK : fail(ERR_UNAVAILABLE, "", "%s lives", name);
}

static enum error
take(fallible (*stands_by)(void *, const char *), void *context, struct seen_charge *ret_seen)
{
    const struct charge_taking taking = {fixture.store, &config, stands_by, context};
    return charge_take(&taking, ret_seen);
}

static void
check_taken(unsigned least_waits, unsigned most_waits)
{
    struct seen_charge mine, seen;
    cr_assert_eq(take(wait_in_silence, NULL, &mine), OK, "%s", fault_last()->detail);
    cr_assert_geq(waits, least_waits);
    cr_assert_leq(waits, most_waits);
    cr_assert_eq(charge_read(fixture.store, 0, &seen), STORE_OK);
    cr_assert_eq(seen.version, mine.version);
    cr_assert_eq(seen.charge.process, mine.charge.process);
    cr_assert_eq(seen.charge.state, CHARGE_HELD);
    cr_assert_str_eq(seen.charge.name, "127.0.0.1:8123");
    cr_assert(lease_holds());
}

Test(charge_take, what_nobody_ever_had_is_taken_at_once)
{
    check_taken(0, 0);
}

Test(charge_take, who_listens_on_all_addresses_is_named_by_the_machine)
{
    struct seen_charge mine;
    char machine[65] = "", name[CHARGE_TEXT_SIZE];
    cr_assert_eq(gethostname(machine, sizeof machine - 1), 0);
    snprintf(name, sizeof name, "%s:8123", machine);
    config.http_host = "0.0.0.0";
    cr_assert_eq(take(wait_in_silence, NULL, &mine), OK);
    cr_assert_str_eq(mine.charge.name, name);
}

Test(charge_take, what_was_left_in_order_is_taken_at_once)
{
    put_other(CHARGE_FREE, "elsewhere");
    check_taken(0, 0);
}

static void
remove_charge(void)
{
    const struct key key = key_of_tag(KEY_CHARGE);
    const struct store_operation operation = {.address = {FAMILY_STREAMER, 0, key_bytes(&key)},
                                              .is_delete = true};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    cr_assert_eq(store_commit(fixture.store, &commit, 0), STORE_OK);
}

static fallible
wait_for_nobody(void *context, const char *name)
{
    (void)context, (void)name;
    waits++;
    return OK;
}

static void
check_waits_for_silence(void)
{
    struct seen_charge mine;
    uint64_t begin_ms = clock_now_ms();
    cr_assert_eq(take(wait_for_nobody, NULL, &mine), OK);
    cr_assert_geq(clock_now_ms() - begin_ms, LEASE_SILENT_MS);
}

Test(charge_take, a_charge_that_was_removed_is_taken_after_the_silence)
{
    const struct charge charge = {.state = CHARGE_HELD, .process = 7, .name = "10.0.0.7:8080"};
    cr_assert_eq(charge_seize(fixture.store, &charge, 0, &other), STORE_OK);
    remove_charge();
    check_waits_for_silence();
}

static fallible
remove_it_once(void *context, const char *name)
{
    (void)context, (void)name;
    if (waits++ == 0)
        remove_charge();
    return OK;
}

Test(charge_take, so_is_one_that_was_seen_and_of_which_no_fence_is_left)
{
    struct seen_charge mine;
    put_other(CHARGE_HELD, "elsewhere");
    uint64_t begin_ms = clock_now_ms();
    cr_assert_eq(take(remove_it_once, NULL, &mine), OK);
    cr_assert_geq(clock_now_ms() - begin_ms, LEASE_SILENT_MS);
}

Test(charge_take, who_had_the_same_folder_is_gone)
{
    char place[CHARGE_TEXT_SIZE];
    charge_place(config.data_dir, place);
    put_other(CHARGE_HELD, place);
    check_taken(0, 0);
}

Test(charge_take, who_is_silent_is_replaced_after_the_silence)
{
    put_other(CHARGE_HELD, "elsewhere");
    uint64_t begin_ms = clock_now_ms();
    check_taken(2, 100);
    cr_assert_geq(clock_now_ms() - begin_ms, LEASE_SILENT_MS);
}

Test(charge_take, two_whose_place_is_not_known_are_not_the_same)
{
    config.data_dir = "/nowhere/at/all";
    put_other(CHARGE_HELD, "");
    check_taken(2, 100);
}

Test(charge_take, who_beats_is_left_alone)
{
    struct seen_charge seen = {.version = 99};
    unsigned most = 16; // each 200 ms: longer than the silence
    put_other(CHARGE_HELD, "elsewhere");
    cr_assert_eq(take(let_it_beat, &most, &seen), ERR_UNAVAILABLE);
    cr_assert_str_eq(fault_last()->detail, "10.0.0.7:8080 lives");
    cr_assert_eq(seen.version, 99);
    cr_assert_eq(charge_read(fixture.store, 0, &seen), STORE_OK);
    cr_assert_eq(seen.version, other.version);
}

Test(charge_take, what_a_newer_version_holds_is_refused)
{
    struct seen_charge seen;
    const struct key key = key_of_tag(KEY_CHARGE);
    put(fixture.store, (struct store_address){FAMILY_STREAMER, 0, key_bytes(&key)}, BYTES("\2?"));
    cr_assert_eq(take(wait_in_silence, NULL, &seen), ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, "newer version"));
    cr_assert_eq(waits, 0);
}
