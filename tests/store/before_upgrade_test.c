// before_upgrade_test.c - what is kept of the folder of version 0.1, that it is what it was, and
// that version 0.1 refuses what this one has opened.
#include "store/before_upgrade.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "store/rocks.h"
#include "store/rocks_records.h"
#include "tests/support/temporary.h"

static struct temporary directory;
static char store_path[TEMPORARY_PATH_BYTES], kept_path[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&directory);
    temporary_path(&directory, "store", store_path);
    temporary_path(&directory, "before-0.2", kept_path);
}

static void
end(void)
{
    temporary_finish(&directory);
}

TestSuite(before_upgrade, .init = begin, .fini = end);

static void
put(struct rocks_database *database, const char *key)
{
    const struct store_operation operation = {.address = {FAMILY_ASSET, 1, {key, strlen(key)}},
                                              .value = {"v", 1}};
    const struct store_commit commit = {.id = 7, .operations = &operation, .operation_count = 1};
    cr_assert_eq(records_write(database, &commit), STORE_OK);
}

static bool
has(struct rocks_database *database, const char *key)
{
    store_version_t version;
    void *value = NULL;
    size_t size;
    const struct store_address address = {FAMILY_ASSET, 1, {key, strlen(key)}};
    enum store_result result = records_get(database, &address, &version, &value, &size);
    free(value);
    return result == STORE_OK;
}

// A store as version 0.1 leaves it, with one record.
static void
make_older(const char *key)
{
    struct rocks_database database = {0};
    cr_assert_eq(rocks_database_open_older(store_path, ROCKS_REFUSE_DAMAGE, &database), OK);
    put(&database, key);
    rocks_database_close(&database);
}

// Whether what was kept is a store of version 0.1 with this record.
static bool
is_kept(const char *key)
{
    char path[TEMPORARY_PATH_BYTES];
    struct rocks_database database = {0};
    temporary_path(&directory, "before-0.2/store", path);
    cr_assert(rocks_database_is_older(path));
    cr_assert_eq(rocks_database_open_older(path, ROCKS_REFUSE_DAMAGE, &database), OK);
    bool is_there = has(&database, key);
    rocks_database_close(&database);
    return is_there;
}

static enum error
open_once(void)
{
    store_t *store = NULL;
    enum error error = rocks_open_in(directory.path, store_path, false, false, false, &store);
    store_destroy(&store);
    return error;
}

static void
make_blob(const char *name)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&directory, "blobs", path);
    mkdir(path, 0700);
    temporary_path(&directory, "blobs/ab", path);
    mkdir(path, 0700);
    temporary_path(&directory, name, path);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    cr_assert_geq(file, 0);
    close(file);
}

static bool
is_there(const char *name)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&directory, name, path);
    return access(path, F_OK) == 0;
}

Test(before_upgrade, the_first_opening_keeps_store_and_bytes_as_they_were)
{
    make_older("one");
    make_blob("blobs/ab/abcd");
    cr_assert_eq(open_once(), OK, "%s", fault_last()->detail);
    cr_assert(is_kept("one"));
    cr_assert(is_there("before-0.2/blobs/ab/abcd"));
    cr_assert_not(is_there("before-0.2.new"));
}

Test(before_upgrade, version_0_1_refuses_what_this_one_has_opened)
{
    struct rocks_database database = {0};
    make_older("one");
    cr_assert_eq(open_once(), OK);
    cr_assert_not(rocks_database_is_older(store_path));
    cr_assert_eq(rocks_database_open_older(store_path, ROCKS_REFUSE_DAMAGE, &database),
                 ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, "a newer version wrote it; run that one"));
}

Test(before_upgrade, nothing_is_kept_of_a_new_folder_or_twice)
{
    cr_assert_eq(open_once(), OK);
    cr_assert_not(is_there("before-0.2"));
    cr_assert_eq(open_once(), OK);
    cr_assert_not(is_there("before-0.2"));
}

Test(before_upgrade, what_an_older_version_wrote_after_it_was_kept_is_kept_anew)
{
    make_older("one");
    cr_assert_eq(before_upgrade_keep(directory.path, store_path, ROCKS_REFUSE_DAMAGE), OK);
    make_older("two");
    cr_assert_eq(open_once(), OK);
    cr_assert(is_kept("two"));
    cr_assert_not(is_there("before-0.2.old"));
}

Test(before_upgrade, a_place_where_nothing_can_be_made_is_refused_and_nothing_changes)
{
    char data[TEMPORARY_PATH_BYTES];
    store_t *store = NULL;
    make_older("one");
    temporary_path(&directory, "nowhere", data);
    cr_assert_eq(rocks_open_in(data, store_path, false, false, false, &store), ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, "nothing was changed"));
    cr_assert(rocks_database_is_older(store_path));
}
