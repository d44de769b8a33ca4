// log_retention_test.c - commits that nobody needs go, and those for followers stay, in a real
// store.
#include "actors/runtime/log_retention.h"

#include <criterion/criterion.h>

#include "store/rocks.h"
#include "tests/support/engines.h"

enum { ALL = 1 << 30 };

static struct temporary folder;
static char path[TEMPORARY_PATH_BYTES];
static store_t *store;
static struct config config;

static void
restart(void)
{
    store_destroy(&store);
    cr_assert_eq(rocks_open_keeping(path, false, false, &store), OK);
}

// Two commits, in two logs that recovery does not need any more.
static void
begin(void)
{
    temporary_init(&folder);
    temporary_path(&folder, "store", path);
    config = (struct config){.data_dir = folder.path, .replica_keep = ALL};
    for (int i = 0; i < 2; i++) {
        restart();
        put_letters(store);
    }
    restart();
}

static void
end(void)
{
    store_destroy(&store);
    temporary_finish(&folder);
}

TestSuite(log_retention, .init = begin, .fini = end);

static bool
ignore(void *unused, const struct store_change *change)
{
    (void)unused, (void)change;
    return true;
}

// Twice: the first look notes which logs there are.
static enum store_result
release(uint64_t shipped)
{
    for (int i = 0; i < 2; i++)
        cr_assert_not(log_retention_release(&config, store, shipped));
    return store_changes(store, 0, ALL, ignore, NULL);
}

Test(log_retention, without_followers_what_was_shipped_goes)
{
    put_letters(store); // the log that is written stays
    cr_assert_eq(release(12), STORE_ABSENT);
}

Test(log_retention, without_followers_what_was_not_shipped_stays)
{
    cr_assert_eq(release(0), STORE_OK);
}

Test(log_retention, with_followers_what_was_shipped_stays_too)
{
    config.replica_endpoint = "tcp://127.0.0.1:*";
    cr_assert_eq(release(LOG_NOT_SHIPPED), STORE_OK);
}

Test(log_retention, followers_have_no_more_than_they_may)
{
    put_letters(store);
    config.replica_endpoint = "tcp://127.0.0.1:*";
    config.replica_keep = 1;
    cr_assert_eq(release(LOG_NOT_SHIPPED), STORE_ABSENT);
}

Test(log_retention, where_the_disk_is_short_of_room_nothing_stays)
{
    put_letters(store);
    config.replica_endpoint = "tcp://127.0.0.1:*";
    config.store_reserve = INT64_C(1) << 60;
    cr_assert(log_retention_release(&config, store, 0));
    cr_assert_eq(store_changes(store, 0, ALL, ignore, NULL), STORE_ABSENT);
}
