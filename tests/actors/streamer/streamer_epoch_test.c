// streamer_epoch_test.c - the number of a start: new at each, never given where it is not on disk.
#include "actors/streamer/streamer_epoch.h"

#include <criterion/criterion.h>

#include "store/key.h"
#include "tests/support/tested_store.h"

static struct temporary directory;
static store_t *store;

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
    cr_assert_eq(streamer_next_epoch(store, &epoch), OK);
    return epoch;
}

Test(streamer_epoch, the_first_start_is_number_one)
{
    cr_assert_eq(next_epoch(), 1);
}

Test(streamer_epoch, each_start_is_one_more_though_the_store_was_closed)
{
    cr_assert_eq(next_epoch(), 1);
    store_destroy(&store);
    store = tested_store_open(&directory);
    cr_assert_eq(next_epoch(), 2);
}

Test(streamer_epoch, it_stands_under_n_in_eight_bytes)
{
    const struct store_address address = {FAMILY_STREAMER, 0, {"N", 1}};
    const unsigned char stored[] = {0, 0, 0, 0, 0, 0, 1, 0xff};
    const struct store_operation put = {.address = address, .value = {stored, sizeof stored}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
    cr_assert_eq(next_epoch(), 0x200);
}

Test(streamer_epoch, a_start_whose_number_cannot_be_written_has_none)
{
    uint64_t epoch = 7;
    tested_store_set_faults(&directory, "unavailable=1");
    cr_assert_eq(streamer_next_epoch(store, &epoch), ERR_UNAVAILABLE);
    cr_assert_eq(epoch, 7);
    tested_store_set_faults(&directory, "");
    cr_assert_eq(next_epoch(), 1);
}
