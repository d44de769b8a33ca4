// streamer_epoch_test.c - the number of a start: new at each, never given where it is not on disk.
#include "actors/streamer/streamer_epoch.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "store/key.h"
#include "tests/support/tested_store.h"

static struct temporary directory;
static store_t *store;
static struct timeline timeline;

static void
set_up(void)
{
    temporary_init(&directory);
    store = tested_store_open(&directory);
}

static void
tear_down(void)
{
    store_destroy(&store);
    temporary_finish(&directory);
}

TestSuite(streamer_epoch, .init = set_up, .fini = tear_down);

static uint64_t
next_epoch(void)
{
    uint64_t epoch = 0;
    cr_assert_eq(streamer_next_epoch(store, "a store", &timeline, &epoch), OK);
    return epoch;
}

Test(streamer_epoch, it_is_the_time_in_ms_and_ten_random_bits)
{
    const uint64_t calendar_us = UINT64_C(1764000000123456); // 2025-11-24
    cr_assert_eq(epoch_after(7, calendar_us, 0), UINT64_C(1764000000123) * 1024);
    cr_assert_eq(epoch_after(7, calendar_us, 0xfffffc05), UINT64_C(1764000000123) * 1024 + 5);
}

Test(streamer_epoch, it_grows_although_the_clock_was_set_back)
{
    cr_assert_eq(epoch_after(UINT64_C(5000) * 1024, 3000000, 9), UINT64_C(5000) * 1024 + 1);
    cr_assert_eq(epoch_after(3072009, 3000000, 9), 3072010);
}

Test(streamer_epoch, it_stays_below_what_a_double_holds)
{
    cr_assert_eq(epoch_after(41, UINT64_MAX, 0), 42);
}

Test(streamer_epoch, each_start_has_a_larger_one_though_the_store_was_closed)
{
    uint64_t first = next_epoch();
    store_destroy(&store);
    store = tested_store_open(&directory);
    cr_assert_gt(next_epoch(), first);
}

Test(streamer_epoch, a_store_that_was_put_back_gives_no_epoch_again)
{
    const struct store_address address = {FAMILY_STREAMER, 0, {"N", 1}};
    const unsigned char stored[] = {0, 0, 0, 0, 0, 0, 0, 1}; // as the backup has it
    const struct store_operation put = {.address = address, .value = {stored, sizeof stored}};
    uint64_t epochs[2];
    for (int i = 0; i < 2; i++) {
        const struct store_commit commit = {
            .id = store_version_new(), .operations = &put, .operation_count = 1};
        cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
        epochs[i] = next_epoch();
        usleep(2000); // two starts within a millisecond may share one in 1,024 times
    }
    cr_assert_gt(epochs[1], epochs[0]);
}

Test(streamer_epoch, it_stands_under_n_in_eight_bytes)
{
    const struct store_address address = {FAMILY_STREAMER, 0, {"N", 1}};
    const unsigned char stored[] = {0, 0x1f, 0xff, 0xff, 0xff, 0xff, 1, 0xff};
    const struct store_operation put = {.address = address, .value = {stored, sizeof stored}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
    cr_assert_eq(next_epoch(), UINT64_C(0x1fffffffff0200)); // larger than the calendar says
}

Test(streamer_epoch, a_start_whose_number_cannot_be_written_has_none)
{
    uint64_t epoch = 7;
    tested_store_set_faults(&directory, "unavailable=1");
    cr_assert_eq(streamer_next_epoch(store, "a store", &timeline, &epoch), ERR_UNAVAILABLE);
    cr_assert_eq(epoch, 7);
    tested_store_set_faults(&directory, "");
    cr_assert_gt(next_epoch(), 7);
}
