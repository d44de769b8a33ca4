// blob_place_test.c - where the bytes of assets are, by a record and the mark of a folder: who
// looks elsewhere is refused, and changes nothing. A store that says that others reach it too.
#include "store/blob_place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/blob_mark.h"
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
    enum error error = blob_place_open(&config, fixture.store, reserve_measure, NULL, &blobs);
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

static void
forget_record(void)
{
    const struct store_operation gone = {.address = {FAMILY_STREAMER, 0, BYTES("B")},
                                         .is_delete = true};
    cr_assert_eq(commit_one(fixture.store, gone, 9), STORE_OK);
}

static void
note_record(const char *mark)
{
    char value[2 + BLOB_MARK_SIZE] = "\1\1";
    memcpy(value + 2, mark, BLOB_MARK_SIZE - 1);
    const struct store_operation put = {.address = {FAMILY_STREAMER, 0, BYTES("B")},
                                        .value = {value, BLOB_MARK_SIZE + 1}};
    cr_assert_eq(commit_one(fixture.store, put, 9), STORE_OK);
}

// The bytes of an asset, and what an earlier run wrote.
static void
fill(const char *folder, char ret_paths[2][TEMPORARY_PATH_BYTES + 80])
{
    char path[TEMPORARY_PATH_BYTES + 80];
    snprintf(path, sizeof path, "%s/ab", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/tmp/run", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(ret_paths[0], sizeof path, "%s/ab/ab", folder);
    for (unsigned i = 1; i < 32; i++)
        strcat(ret_paths[0], "ab");
    snprintf(ret_paths[1], sizeof path, "%s/tmp/run/1", folder);
    for (unsigned i = 0; i < 2; i++) {
        FILE *file = fopen(ret_paths[i], "w");
        cr_assert_not_null(file);
        fclose(file);
    }
}

// Of another database, whose assets a sweep would remove.
Test(blob_place, is_no_folder_that_has_a_mark_where_none_is_noted)
{
    char paths[2][TEMPORARY_PATH_BYTES + 80];
    cr_assert_eq(open_in(shared), OK);
    fill(shared, paths);
    forget_record();
    check_refused(shared, "/shared has the bytes of assets of another database");
    check_refused(shared, "or remove that file");
    cr_assert_not(has_record());
    cr_assert_eq(access(paths[0], F_OK), 0, "an asset");
    cr_assert_eq(access(paths[1], F_OK), 0, "what another server writes");
    const struct config config = config_of(shared);
    cr_assert_eq(blob_place_note(&config, fixture.store), ERR_CONFLICT);
    cr_assert_not(has_record());
}

// Killed before the record.
Test(blob_place, is_noted_where_only_the_first_step_was_done)
{
    char mark[BLOB_MARK_SIZE];
    cr_assert_eq(blob_mark_prepare(shared, mark), OK);
    cr_assert_eq(open_in(shared), OK);
    cr_assert(has_record());
    cr_assert_eq(open_in(shared), OK);
}

// Killed behind the record.
Test(blob_place, that_is_noted_gets_the_mark_that_was_prepared)
{
    char mark[BLOB_MARK_SIZE], found[BLOB_MARK_SIZE];
    const struct config config = config_of(shared);
    cr_assert_eq(blob_mark_prepare(shared, mark), OK);
    note_record(mark);
    cr_assert_eq(blob_place_check(&config, fixture.store), OK);
    cr_assert_eq(open_in(shared), OK);
    cr_assert_eq(blob_mark_read(shared, found), OK);
    cr_assert_str_eq(found, mark);
    cr_assert_not(blob_mark_is_prepared(shared, mark));
}

// A server of another database had the folder before the second step.
static void check_lost(enum error (*act)(const struct config *config))
{
    char mark[BLOB_MARK_SIZE], winner[BLOB_MARK_SIZE], found[BLOB_MARK_SIZE];
    const struct config config = config_of(shared);
    cr_assert_eq(blob_mark_prepare(shared, mark), OK);
    note_record(mark);
    cr_assert_eq(blob_mark_prepare(shared, winner), OK);
    cr_assert_eq(blob_mark_claim(shared, winner, found), OK);
    cr_assert_eq(act(&config), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, winner), "%s", fault_last()->detail);
    cr_assert_not(has_record());
    cr_assert_eq(blob_mark_read(shared, found), OK);
    cr_assert_str_eq(found, winner);
    check_refused(shared, "of another database");
    cr_assert_eq(open_in(other), OK);
}

static enum error
open_it(const struct config *config)
{
    return open_in(config->blob_dir);
}

static enum error
note_it(const struct config *config)
{
    return blob_place_note(config, fixture.store);
}

Test(blob_place, of_two_servers_one_has_and_the_other_is_free_to_go_elsewhere)
{
    check_lost(open_it);
}

Test(blob_place, is_noted_by_an_import_in_the_same_way)
{
    check_lost(note_it);
}

Test(blob_place, of_a_folder_that_is_not_noted_is_not_the_folder_of_the_data_either)
{
    char path[TEMPORARY_PATH_BYTES];
    cr_assert_eq(open_in(shared), OK);
    forget_record();
    temporary_path(&fixture.directory, "blobs", path);
    cr_assert_eq(rename(shared, path), 0);
    check_refused("", "of another database");
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

Test(blob_place, in_the_database_takes_in_no_folder_of_another_one)
{
    struct store_operation database = {.address = {FAMILY_STREAMER, 0, BYTES("B")},
                                       .value = BYTES("\1\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                                      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")};
    struct config config = config_of("");
    char path[TEMPORARY_PATH_BYTES], mark[BLOB_MARK_SIZE], found[BLOB_MARK_SIZE];
    config.blob_database = true;
    cr_assert_eq(commit_one(fixture.store, database, 9), STORE_OK);
    cr_assert_eq(blob_place_check(&config, fixture.store), OK);
    temporary_path(&fixture.directory, "blobs", path);
    cr_assert_eq(blob_mark_prepare(path, mark), OK);
    cr_assert_eq(blob_mark_claim(path, mark, found), OK);
    cr_assert_eq(blob_place_check(&config, fixture.store), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, "of another database"));
    temporary_path(&fixture.directory, "blobs/CACHE", path);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(blob_place_check(&config, fixture.store), OK);
}

Test(blob_place, of_a_store_of_its_own_is_not_asked_for)
{
    const struct config config = config_of("");
    fixture.store->is_shared = false;
    cr_assert_eq(blob_place_check(&config, fixture.store), OK);
    cr_assert_eq(open_in(""), OK);
    cr_assert_not(has_record());
}
