// store_open_test.c - the store of a configuration: where it stands, and what it stands behind.
#include "store/store_open.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "proto/message/metrics.h"
#include "tests/support/temporary.h"

static enum store_result
commit_one(store_t *store)
{
    struct store_operation operation = {
        .address = {FAMILY_USER, 0, {"key", 3}},
        .value = {"value", 5},
    };
    struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    return store_commit(store, &commit, 0);
}

Test(store_open, opens_below_a_data_directory_that_it_creates)
{
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    char data_dir[TEMPORARY_PATH_BYTES], path[TEMPORARY_PATH_BYTES];
    temporary_path(&directory, "a/b", data_dir);
    temporary_path(&directory, "a/b/store/CURRENT", path);
    struct config config = {.data_dir = data_dir, .store_sync = true, .store_fault = ""};
    owned(store_destroy) store_t *store = NULL;
    cr_assert_eq(store_open(&config, &store), OK, "%s", fault_last()->detail);
    cr_assert_str_eq(store->engine->name, "rocksdb");
    cr_assert_eq(commit_one(store), STORE_OK);
    cr_assert_eq(access(path, F_OK), 0);
}

Test(store_open, a_data_directory_that_is_a_file_is_refused_with_its_name)
{
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    char data_dir[TEMPORARY_PATH_BYTES];
    temporary_path(&directory, "file", data_dir);
    fclose(fopen(data_dir, "w"));
    struct config config = {.data_dir = data_dir, .store_fault = ""};
    store_t *store = NULL;
    cr_assert_eq(store_open(&config, &store), ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, data_dir));
    cr_assert_null(store);
}

Test(store_open, stands_behind_the_faults_that_are_asked_for)
{
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    struct config config = {.data_dir = directory.path, .store_fault = "unavailable=2"};
    owned(store_destroy) store_t *store = NULL;
    cr_assert_eq(store_open(&config, &store), OK, "%s", fault_last()->detail);
    cr_assert_str_eq(store->engine->name, "fault");
    cr_assert_eq(commit_one(store), STORE_OK);
    cr_assert_eq(commit_one(store), STORE_UNAVAILABLE);
}

Test(store_open, keeps_a_reserve_where_one_is_set)
{
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    struct config config = {
        .data_dir = directory.path, .store_fault = "", .store_reserve = INT64_C(1) << 62};
    owned(store_destroy) store_t *store = NULL;
    cr_assert_eq(store_open(&config, &store), OK, "%s", fault_last()->detail);
    cr_assert_str_eq(store->engine->name, "reserve");
    uint64_t refused = counter_get(COUNT_STORE_FULL);
    cr_assert_eq(commit_one(store), STORE_FULL);
    cr_assert_eq(counter_get(COUNT_STORE_FULL), refused + 1);
}

Test(store_open, is_not_opened_with_faults_that_do_not_exist)
{
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    struct config config = {.data_dir = directory.path, .store_fault = "flood=2"};
    store_t *store = NULL;
    cr_assert_eq(store_open(&config, &store), ERR_INVALID);
    cr_assert_null(store);
    config.store_fault = "";
    cr_assert_eq(store_open(&config, &store), OK, "the failed attempt left its lock");
    store_destroy(&store);
}
