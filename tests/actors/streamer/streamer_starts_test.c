// streamer_starts_test.c - the starts of a store are noted, and those of another one do not count.
#include "actors/streamer/streamer_starts.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "actors/streamer/streamer_epoch.h"
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

TestSuite(streamer_starts, .init = set_up, .fini = tear_down, .timeout = 120);

static uint64_t
start(const char *lineage)
{
    uint64_t epoch;
    cr_assert_eq(streamer_next_epoch(store, lineage, &timeline, &epoch), OK);
    return epoch;
}

static uint64_t
position(void)
{
    uint64_t now;
    cr_assert_eq(store_position(store, &now), STORE_OK);
    return now;
}

Test(streamer_starts, each_has_its_number_and_where_the_store_was_before_it)
{
    uint64_t first = start("a"), middle = position(), second = start("a");
    cr_assert_eq(timeline.count, 2);
    cr_assert_eq(timeline.starts[0].epoch, first);
    cr_assert_eq(timeline.starts[0].position, 0);
    cr_assert_eq(timeline.starts[1].epoch, second);
    cr_assert_eq(timeline.starts[1].position, middle);
}

Test(streamer_starts, those_of_another_store_do_not_count_and_go)
{
    start("a");
    start("a");
    uint64_t third = start("b");
    cr_assert_eq(timeline.count, 1);
    cr_assert_eq(timeline.starts[0].epoch, third);
    start("a");
    cr_assert_eq(timeline.count, 1, "they came back");
}

Test(streamer_starts, a_store_without_a_name_goes_on_from_no_start)
{
    start("");
    start("");
    cr_assert_eq(timeline.count, 1);
}

Test(streamer_starts, where_one_was_not_noted_none_before_it_counts)
{
    const struct store_address address = {FAMILY_STREAMER, 0, {"N", 1}};
    const unsigned char stored[] = {0, 0, 0, 0, 0, 0, 0, 1}; // by an older version
    const struct store_operation put = {.address = address, .value = {stored, sizeof stored}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    start("a");
    cr_assert_eq(store_commit(store, &commit, 0), STORE_OK);
    usleep(2000); // two starts within a millisecond may share a number
    start("a");
    cr_assert_eq(timeline.count, 1);
}

static bool
count(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)key, (void)version, (void)value;
    ++*(size_t *)context;
    return true;
}

Test(streamer_starts, the_newest_two_hundred_and_fifty_six_are_stored)
{
    size_t stored = 0;
    struct key low = key_of_tag('S'), high = key_after(&low);
    for (int i = 0; i < TIMELINE_STARTS + 10; i++)
        start("a");
    cr_assert_eq(store_scan(store, FAMILY_STREAMER, 0, key_bytes(&low), key_bytes(&high), false, 0,
                            0, count, &stored),
                 STORE_OK);
    cr_assert_eq(stored, TIMELINE_STARTS);
    cr_assert_eq(timeline.count, TIMELINE_STARTS);
}
