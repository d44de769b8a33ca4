// charge_keeper_test.c - the beat of who is in charge, and its end.
#include "actors/standby/charge_keeper.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/message/lease.h"
#include "tests/support/engines.h"

enum { WITHIN_MS = 20000 };

static struct engine_fixture fixture;
static charge_keeper_t *keeper;
static struct seen_charge begun;
static atomic_uint replacements;

static void
note_replacement(void)
{
    atomic_fetch_add(&replacements, 1);
}

static void
begin(void)
{
    const struct charge charge = {.state = CHARGE_HELD, .process = 1, .name = "a"};
    engine_fixture_init(&fixture, 0);
    cr_assert_eq(charge_write(fixture.store, &charge, 0, &begun), STORE_OK);
    lease_extend(clock_boot_ms() + LEASE_MS);
    cr_assert_eq(charge_keeper_create(fixture.store, &begun, note_replacement, &keeper), OK);
}

static void
end(void)
{
    charge_keeper_destroy(&keeper);
    engine_fixture_finish(&fixture);
}

TestSuite(charge_keeper, .init = begin, .fini = end);

static struct seen_charge
read_charge(void)
{
    struct seen_charge seen;
    cr_assert_eq(charge_read(fixture.store, 0, &seen), STORE_OK);
    return seen;
}

// Puts another process where the first one is, whatever it has just written.
static struct seen_charge
replace(void)
{
    const struct charge charge = {.state = CHARGE_HELD, .process = 2, .name = "b"};
    struct seen_charge seen = read_charge();
    while (charge_write(fixture.store, &charge, 0, &seen) != STORE_OK)
        seen = read_charge();
    return seen;
}

static void
await(bool (*is_so)(void))
{
    uint64_t end_ms = clock_deadline_ms(WITHIN_MS);
    while (!is_so()) {
        cr_assert_gt(clock_left_ms(end_ms), 0);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

static bool
has_beaten(void)
{
    return read_charge().version != begun.version;
}

static bool
is_replaced(void)
{
    return atomic_load(&replacements) > 0;
}

Test(charge_keeper, it_beats_and_the_lease_goes_on)
{
    await(has_beaten);
    cr_assert_eq(read_charge().charge.process, 1);
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL); // longer than one lease
    cr_assert(lease_holds());
    cr_assert_eq(atomic_load(&replacements), 0);
}

Test(charge_keeper, who_ends_leaves_the_place_free)
{
    charge_keeper_destroy(&keeper);
    cr_assert_eq(read_charge().charge.state, CHARGE_FREE);
    cr_assert_str_eq(read_charge().charge.name, "a");
}

Test(charge_keeper, who_was_replaced_is_told_once_and_leaves_the_place_alone)
{
    struct seen_charge theirs = replace();
    await(is_replaced);
    cr_assert(lease_is_lost());
    charge_keeper_destroy(&keeper);
    cr_assert_eq(read_charge().version, theirs.version);
    cr_assert_eq(atomic_load(&replacements), 1);
}

Test(charge_keeper, a_fence_that_fell_ends_it_too)
{
    lease_lose();
    await(is_replaced);
    charge_keeper_destroy(&keeper);
    cr_assert_eq(read_charge().charge.state, CHARGE_HELD);
    cr_assert_eq(atomic_load(&replacements), 1);
}
