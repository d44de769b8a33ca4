// reserve_test.c - the decorator that refuses commits before the disk is full, over an engine that
// only counts and a disk of the test's own.
#include "store/reserve.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/message/metrics.h"
#include "tests/support/engines.h"

enum { RESERVE = 1600 };

// ---------------------------------------------------------------- the engine below

static struct counting {
    store_t base;
    enum store_result answer; // of commits
    int commits, gets, scans, pings, checkpoints, destroyed;
} below;

static enum store_result
count_get(store_t *self, const struct store_address *address, uint64_t deadline_ms,
          store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    (void)self, (void)address, (void)deadline_ms, (void)ret_version, (void)ret_value;
    (void)ret_size;
    below.gets++;
    return STORE_ABSENT;
}

static enum store_result
count_scan(store_t *self, const struct store_scan *scan, uint64_t deadline_ms, store_visitor *visit,
           void *context)
{
    (void)self, (void)scan, (void)deadline_ms, (void)visit, (void)context;
    below.scans++;
    return STORE_OK;
}

static enum store_result
count_commit(store_t *self, const struct store_commit *commit, uint64_t deadline_ms)
{
    (void)self, (void)commit, (void)deadline_ms;
    below.commits++;
    return below.answer;
}

static enum store_result
count_ping(store_t *self, uint64_t deadline_ms)
{
    (void)self, (void)deadline_ms;
    below.pings++;
    return STORE_OK;
}

static enum store_result
count_checkpoint(store_t *self, const char *folder)
{
    (void)self, (void)folder;
    below.checkpoints++;
    return STORE_OK;
}

static void
count_destroy(store_t **self)
{
    below.destroyed++;
    *self = NULL;
}

static const struct store_engine counting_engine = {
    .name = "counting",
    .get = count_get,
    .scan = count_scan,
    .commit = count_commit,
    .ping = count_ping,
    .checkpoint = count_checkpoint,
    .destroy = count_destroy,
};

// ---------------------------------------------------------------- the disk

static struct {
    bool is_known;
    _Atomic uint64_t free; // the watcher reads it too
    int looks;
} disk;

static bool
measure(const char *path, uint64_t *ret_free)
{
    cr_assert_str_eq(path, "/the/disk");
    disk.looks++;
    *ret_free = disk.free;
    return disk.is_known;
}

static store_t *
open_over(uint64_t free)
{
    store_t *inner = &below.base, *store = NULL;
    below = (struct counting){.base.engine = &counting_engine};
    disk.is_known = true;
    disk.free = free;
    disk.looks = 0;
    reserve_wrap(&inner, "/the/disk", RESERVE, measure, &store);
    cr_assert_null(inner);
    return store;
}

static enum store_result
commit(store_t *store)
{
    return commit_one(store, PUT("k", "v"), 1);
}

static enum store_result
commit_vital(store_t *store)
{
    struct store_operation put = PUT("k", "v");
    struct store_commit vital = {
        .id = 1, .operations = &put, .operation_count = 1, .is_vital = true};
    return store_commit(store, &vital, 0);
}

// A commit that fails makes it look again before the next one.
static void
change_free(store_t *store, uint64_t free)
{
    disk.free = free;
    below.answer = STORE_UNAVAILABLE;
    cr_assert_eq(commit_vital(store), STORE_UNAVAILABLE);
    below.answer = STORE_OK;
}

Test(reserve, commits_go_through_while_there_is_space)
{
    owned(store_destroy) store_t *store = open_over(RESERVE);
    cr_assert_eq(commit(store), STORE_OK);
    cr_assert_eq(below.commits, 1);
}

Test(reserve, with_less_than_the_reserve_commits_are_refused_before_they_are_tried)
{
    owned(store_destroy) store_t *store = open_over(RESERVE - 1);
    cr_assert_eq(commit(store), STORE_FULL);
    cr_assert_eq(store_ping(store, 0), STORE_FULL);
    cr_assert_eq(below.commits + below.pings, 0);
}

Test(reserve, checkpoints_are_made_only_while_there_is_space)
{
    owned(store_destroy) store_t *store = open_over(RESERVE);
    cr_assert_eq(store_checkpoint(store, "/the/disk/copy"), STORE_OK);
    cr_assert_eq(below.checkpoints, 1);
    change_free(store, RESERVE - 1);
    cr_assert_eq(store_checkpoint(store, "/the/disk/copy"), STORE_FULL);
    cr_assert_eq(below.checkpoints, 1);
}

Test(reserve, reads_go_on_without_space)
{
    owned(store_destroy) store_t *store = open_over(0);
    check_absent(store, AT("k"));
    cr_assert_eq(store_scan(store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, false, 0, 0,
                            visit_log_add, NULL),
                 STORE_OK);
    cr_assert(below.gets == 1 && below.scans == 1);
}

Test(reserve, what_is_vital_may_use_the_reserve)
{
    owned(store_destroy) store_t *store = open_over(0);
    cr_assert_eq(commit_vital(store), STORE_OK);
    cr_assert_eq(commit(store), STORE_FULL);
}

Test(reserve, commits_are_taken_again_with_a_quarter_more_than_the_reserve)
{
    owned(store_destroy) store_t *store = open_over(RESERVE - 1);
    cr_assert_eq(commit(store), STORE_FULL);
    change_free(store, RESERVE + RESERVE / 4 - 1);
    cr_assert_eq(commit(store), STORE_FULL);
    change_free(store, RESERVE + RESERVE / 4);
    cr_assert_eq(commit(store), STORE_OK);
    cr_assert_eq(store_ping(store, 0), STORE_OK);
    change_free(store, RESERVE);
    cr_assert_eq(commit(store), STORE_OK, "once taken, until there is less than the reserve");
}

Test(reserve, the_disk_is_not_looked_at_for_each_commit)
{
    owned(store_destroy) store_t *store = open_over(RESERVE);
    for (int i = 0; i < 10; i++)
        cr_assert_eq(commit(store), STORE_OK);
    cr_assert_leq(disk.looks, 2, "%d looks", disk.looks); // a second may end on the way
}

Test(reserve, the_disk_is_looked_at_after_a_sixteenth_of_the_reserve_was_written)
{
    static char value[RESERVE / 16];
    owned(store_destroy) store_t *store = open_over(RESERVE);
    struct store_operation large = {.address = AT("k"), .value = {value, sizeof value}};
    cr_assert_eq(commit_one(store, large, 1), STORE_OK);
    disk.free = RESERVE - 1;
    cr_assert_eq(commit(store), STORE_FULL);
}

Test(reserve, the_disk_is_looked_at_after_a_commit_that_failed)
{
    owned(store_destroy) store_t *store = open_over(RESERVE);
    below.answer = STORE_UNAVAILABLE;
    cr_assert_eq(commit(store), STORE_UNAVAILABLE);
    disk.free = RESERVE - 1;
    cr_assert_eq(commit(store), STORE_FULL);
}

Test(reserve, a_disk_that_cannot_be_measured_is_what_it_was)
{
    owned(store_destroy) store_t *store = open_over(RESERVE - 1);
    cr_assert_eq(commit(store), STORE_FULL);
    disk.is_known = false;
    change_free(store, 10 * RESERVE);
    cr_assert_eq(commit(store), STORE_FULL);
}

Test(reserve, the_engine_below_ends_with_it)
{
    store_t *store = open_over(RESERVE);
    store_destroy(&store);
    cr_assert_null(store);
    cr_assert_eq(below.destroyed, 1);
}

Test(reserve, the_system_says_how_much_is_free)
{
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    uint64_t free_bytes = 0;
    cr_assert(reserve_measure(directory.path, &free_bytes));
    cr_assert_gt(free_bytes, 0);
    cr_assert_not(reserve_measure("/there/is/no/such/place", &free_bytes));
}

// Whether the metric says so within 20 s; the watcher looks each second.
static bool
becomes_read_only(bool is_read_only)
{
    enum { WITHIN_MS = 20000, PAUSE_US = 2000 };
    uint64_t deadline_ms = clock_deadline_ms(WITHIN_MS);
    while ((counter_get(GAUGE_STORE_READ_ONLY) > 0) != is_read_only && clock_left_ms(deadline_ms))
        usleep(PAUSE_US);
    return (counter_get(GAUGE_STORE_READ_ONLY) > 0) == is_read_only;
}

Test(reserve, the_metric_follows_the_disk_where_nobody_writes)
{
    store_t *inner = &below.base;
    owned(store_destroy) store_t *store = NULL;
    below = (struct counting){.base.engine = &counting_engine};
    disk.is_known = true;
    disk.free = RESERVE - 1;
    reserve_wrap_watched(&inner, "/the/disk", RESERVE, measure, &store);
    cr_assert(becomes_read_only(true));
    disk.free = 2 * RESERVE;
    cr_assert(becomes_read_only(false));
    cr_assert_eq(below.commits + below.pings, 0);
}
