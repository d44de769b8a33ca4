// blob_place_test.c - where the bytes of assets are, by a record and the mark of a folder: who
// looks elsewhere is refused, and changes nothing. A store that says that others reach it too.
#include "store/blob_place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/fence.h"
#include "tests/support/engines.h"

enum { ROCKS_ROW = 0 };

static struct engine_fixture fixture;
static char shared[TEMPORARY_PATH_BYTES], other[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    engine_fixture_init(&fixture, ROCKS_ROW);
    fixture.store->is_shared = true;
    temporary_path(&fixture.directory, "shared", shared);
    temporary_path(&fixture.directory, "other", other);
}

static void
end(void)
{
    engine_fixture_finish(&fixture);
}

TestSuite(blob_place, .init = begin, .fini = end);

static struct config
config_of(const char *blob_dir)
{
    return (struct config){.data_dir = fixture.directory.path, .blob_dir = blob_dir};
}

static enum error
open_in(const char *blob_dir)
{
    const struct config config = config_of(blob_dir);
    blobs_t *blobs = NULL;
    enum error error = blob_place_open(&config, fixture.store, reserve_measure, &blobs);
    cr_assert_eq(error != OK, blobs == NULL);
    blobs_destroy(&blobs);
    return error;
}

static void
check_refused(const char *blob_dir, const char *words)
{
    const struct config config = config_of(blob_dir);
    cr_assert_eq(blob_place_check(&config, fixture.store), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, words), "%s", fault_last()->detail);
    cr_assert_eq(open_in(blob_dir), ERR_CONFLICT);
}

static bool
has_record(void)
{
    static const unsigned char key[] = {KEY_BLOBS};
    struct visit_log log = {0};
    cr_assert_eq(store_scan(fixture.store, FAMILY_STREAMER, 0, (struct bytes){key, 1}, UNBOUNDED,
                            false, 0, 0, visit_log_add, &log),
                 STORE_OK);
    return log.count > 0;
}

Test(blob_place, of_a_folder_is_noted_once_and_found_again)
{
    cr_assert_eq(open_in(shared), OK);
    cr_assert(has_record());
    cr_assert_eq(open_in(shared), OK);
}

Test(blob_place, is_found_where_the_folder_was_moved_to)
{
    cr_assert_eq(open_in(shared), OK);
    cr_assert_eq(rename(shared, other), 0);
    cr_assert_eq(open_in(other), OK);
    check_refused(shared, "is not the folder");
}

Test(blob_place, is_not_a_folder_that_is_empty_or_missing)
{
    cr_assert_eq(open_in(shared), OK);
    check_refused(other, "is not the folder");
    cr_assert_neq(access(other, F_OK), 0, "it was made");
    cr_assert_eq(mkdir(other, 0700), 0);
    check_refused(other, "is not the folder");
    cr_assert_eq(rmdir(other), 0, "something was made in it");
}

Test(blob_place, is_not_the_folder_of_the_data_then)
{
    cr_assert_eq(open_in(shared), OK);
    check_refused("", "is not the folder");
}

Test(blob_place, of_a_folder_of_its_own_is_noted_nowhere)
{
    cr_assert_eq(open_in(""), OK);
    cr_assert_not(has_record());
}

// A start was killed between the two, or the database is a new one.
Test(blob_place, takes_a_mark_without_a_record_as_it_is)
{
    char path[TEMPORARY_PATH_BYTES + 8];
    struct stat before, after;
    cr_assert_eq(open_in(shared), OK);
    snprintf(path, sizeof path, "%s/PLACE", shared);
    cr_assert_eq(stat(path, &before), 0);
    const struct store_operation gone = {.address = {FAMILY_STREAMER, 0, BYTES("B")},
                                         .is_delete = true};
    cr_assert_eq(commit_one(fixture.store, gone, 9), STORE_OK);
    cr_assert_eq(open_in(shared), OK);
    cr_assert_eq(stat(path, &after), 0);
    cr_assert_eq(after.st_ino, before.st_ino);
    cr_assert(has_record());
}

Test(blob_place, that_is_damaged_or_newer_is_refused)
{
    const struct store_operation newer = {.address = {FAMILY_STREAMER, 0, BYTES("B")},
                                          .value = BYTES("\2\1")};
    cr_assert_eq(commit_one(fixture.store, newer, 9), STORE_OK);
    check_refused(shared, "newer version");
}

Test(blob_place, in_the_database_is_in_no_folder)
{
    struct store_operation database = {.address = {FAMILY_STREAMER, 0, BYTES("B")},
                                       .value = BYTES("\1\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                                      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")};
    cr_assert_eq(commit_one(fixture.store, database, 9), STORE_OK);
    check_refused("", "set blob.store=database");
}

Test(blob_place, of_a_store_of_its_own_is_not_asked_for)
{
    const struct config config = config_of("");
    fixture.store->is_shared = false;
    cr_assert_eq(blob_place_check(&config, fixture.store), OK);
    cr_assert_eq(open_in(""), OK);
    cr_assert_not(has_record());
}
