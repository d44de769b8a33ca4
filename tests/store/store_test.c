// store_test.c - opening the store of a configuration, fresh versions, errors of results.
#include "store/store.h"

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

Test(store, opens_below_a_data_directory_that_it_creates)
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

Test(store, a_data_directory_that_is_a_file_is_refused_with_its_name)
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

Test(store, stands_behind_the_faults_that_are_asked_for)
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

Test(store, keeps_a_reserve_where_one_is_set)
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

Test(store, is_not_opened_with_faults_that_do_not_exist)
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

Test(store, destroying_none_is_allowed)
{
    store_t *store = NULL;
    store_destroy(&store);
}

Test(store, fresh_versions_are_not_0_and_differ)
{
    store_version_t last = store_version_new();
    cr_assert_neq(last, 0);
    for (int i = 0; i < 1000; i++) {
        store_version_t next = store_version_new();
        cr_assert_neq(next, 0);
        cr_assert_neq(next, last);
        last = next;
    }
}

Test(store, each_result_has_its_error)
{
    // clang-format off
    static const struct { enum store_result result; enum error error; } rows[] = {
        {STORE_OK,          OK},
        {STORE_ABSENT,      ERR_NOT_FOUND},
        {STORE_CONFLICT,    ERR_CONFLICT},
        {STORE_UNAVAILABLE, ERR_UNAVAILABLE},
        {STORE_UNKNOWN,     ERR_UNAVAILABLE},
        {STORE_FULL,        ERR_STORAGE_FULL},
        {STORE_LIMIT,       ERR_TOO_LARGE},
        {STORE_BAD,         ERR_INTERNAL},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(store_error(rows[i].result), rows[i].error);
}
