// store_contract_test.c - what every engine must do with records, guards, limits and deadlines.
// Scans: store_scan_contract_test.c.
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "tests/support/engines.h"

static enum store_result
commit_guarded(store_t *store, struct store_guard guard, struct store_operation operation,
               store_version_t id)
{
    struct store_commit commit = {
        .id = id,
        .guards = &guard,
        .guard_count = 1,
        .operations = &operation,
        .operation_count = 1,
    };
    return store_commit(store, &commit, 0);
}

// ---------------------------------------------------------------- records

CONTRACT(contract, a_record_is_read_back_with_its_version)
{
    cr_assert_eq(commit_one(fixture->store, PUT("key", "value"), 42), STORE_OK);
    check_record(fixture->store, AT("key"), 42, BYTES("value"));
}

CONTRACT(contract, a_record_never_put_is_absent)
{
    check_absent(fixture->store, AT("key"));
}

CONTRACT(contract, a_record_put_again_has_the_new_value_and_version)
{
    cr_assert_eq(commit_one(fixture->store, PUT("key", "longer value"), 42), STORE_OK);
    cr_assert_eq(commit_one(fixture->store, PUT("key", "new"), 43), STORE_OK);
    check_record(fixture->store, AT("key"), 43, BYTES("new"));
}

CONTRACT(contract, a_deleted_record_is_absent)
{
    put(fixture->store, AT("key"), BYTES("value"));
    cr_assert_eq(commit_one(fixture->store, DELETE("key"), 43), STORE_OK);
    check_absent(fixture->store, AT("key"));
}

CONTRACT(contract, deleting_what_is_absent_is_no_failure)
{
    cr_assert_eq(commit_one(fixture->store, DELETE("key"), 43), STORE_OK);
}

CONTRACT(contract, every_record_of_a_commit_has_its_id_as_version)
{
    put_letters(fixture->store);
    const struct store_operation operations[] = {PUT("a", "x"), PUT("b", "y")};
    struct store_commit commit = {
        .id = 0xfedcba9876543210, .operations = operations, .operation_count = 2};
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_OK);
    check_record(fixture->store, AT("a"), 0xfedcba9876543210, BYTES("x"));
    check_record(fixture->store, AT("b"), 0xfedcba9876543210, BYTES("y"));
    check_record(fixture->store, AT("c"), 1, BYTES("3"));
}

CONTRACT(contract, the_last_operation_on_a_key_wins)
{
    const struct store_operation operations[] = {PUT("a", "1"), DELETE("a"),   PUT("b", "1"),
                                                 PUT("b", "2"), PUT("c", "1"), DELETE("c"),
                                                 PUT("c", "3")};
    struct store_commit commit = {.id = 1, .operations = operations, .operation_count = 7};
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_OK);
    check_absent(fixture->store, AT("a"));
    check_record(fixture->store, AT("b"), 1, BYTES("2"));
    check_record(fixture->store, AT("c"), 1, BYTES("3"));
}

CONTRACT(contract, values_may_be_empty_or_contain_any_byte)
{
    put(fixture->store, AT("empty"), BYTES(""));
    put(fixture->store, AT("bytes"), BYTES("\0a\0\xff\n\0"));
    check_record(fixture->store, AT("empty"), 0, BYTES(""));
    check_record(fixture->store, AT("bytes"), 0, BYTES("\0a\0\xff\n\0"));
}

CONTRACT(contract, keys_may_be_empty_or_contain_any_byte)
{
    put(fixture->store, AT(""), BYTES("none"));
    put(fixture->store, AT("\0"), BYTES("nul"));
    put(fixture->store, AT("\0\0"), BYTES("two nuls"));
    put(fixture->store, AT("\xff\xff"), BYTES("high"));
    check_record(fixture->store, AT(""), 0, BYTES("none"));
    check_record(fixture->store, AT("\0"), 0, BYTES("nul"));
    check_record(fixture->store, AT("\0\0"), 0, BYTES("two nuls"));
    check_record(fixture->store, AT("\xff\xff"), 0, BYTES("high"));
}

CONTRACT(contract, records_are_there_after_the_store_was_opened_again)
{
    cr_assert_eq(commit_one(fixture->store, PUT("key", "value"), 42), STORE_OK);
    cr_assert_eq(commit_one(fixture->store, PUT("gone", "value"), 43), STORE_OK);
    cr_assert_eq(commit_one(fixture->store, DELETE("gone"), 44), STORE_OK);
    engine_fixture_reopen(fixture);
    check_record(fixture->store, AT("key"), 42, BYTES("value"));
    check_absent(fixture->store, AT("gone"));
}

// ---------------------------------------------------------------- guards

CONTRACT(contract, a_guard_that_holds_lets_the_commit_pass)
{
    cr_assert_eq(commit_one(fixture->store, PUT("key", "old"), 42), STORE_OK);
    struct store_guard guard = {AT("key"), 42};
    cr_assert_eq(commit_guarded(fixture->store, guard, PUT("key", "new"), 43), STORE_OK);
    check_record(fixture->store, AT("key"), 43, BYTES("new"));
}

CONTRACT(contract, a_guard_of_another_version_is_a_conflict_that_writes_nothing)
{
    cr_assert_eq(commit_one(fixture->store, PUT("key", "old"), 42), STORE_OK);
    struct store_guard guard = {AT("key"), 41};
    cr_assert_eq(commit_guarded(fixture->store, guard, PUT("key", "new"), 43), STORE_CONFLICT);
    check_record(fixture->store, AT("key"), 42, BYTES("old"));
}

CONTRACT(contract, a_guard_of_absence_holds_while_there_is_no_record)
{
    struct store_guard guard = {AT("key"), 0};
    cr_assert_eq(commit_guarded(fixture->store, guard, PUT("key", "1"), 42), STORE_OK);
    cr_assert_eq(commit_guarded(fixture->store, guard, PUT("key", "2"), 43), STORE_CONFLICT);
    check_record(fixture->store, AT("key"), 42, BYTES("1"));
    cr_assert_eq(commit_one(fixture->store, DELETE("key"), 44), STORE_OK);
    cr_assert_eq(commit_guarded(fixture->store, guard, PUT("key", "3"), 45), STORE_OK);
}

CONTRACT(contract, a_guard_of_a_version_fails_where_the_record_is_absent)
{
    struct store_guard guard = {AT("key"), 42};
    cr_assert_eq(commit_guarded(fixture->store, guard, PUT("other", "1"), 43), STORE_CONFLICT);
    check_absent(fixture->store, AT("other"));
}

CONTRACT(contract, one_failed_guard_of_several_writes_none_of_the_operations)
{
    put_letters(fixture->store);
    const struct store_guard guards[] = {{AT("a"), 1}, {AT("new"), 0}, {AT("b"), 2}};
    const struct store_operation operations[] = {PUT("new", "1"), PUT("a", "2"), DELETE("c")};
    struct store_commit commit = {.id = 9,
                                  .guards = guards,
                                  .guard_count = 3,
                                  .operations = operations,
                                  .operation_count = 3};
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_CONFLICT);
    check_absent(fixture->store, AT("new"));
    check_record(fixture->store, AT("a"), 1, BYTES("1"));
    check_record(fixture->store, AT("c"), 1, BYTES("3"));
}

CONTRACT(contract, a_guard_of_absence_without_a_put_of_that_record_is_a_bad_call)
{
    struct store_guard guard = {AT("key"), 0};
    cr_assert_eq(commit_guarded(fixture->store, guard, PUT("other", "1"), 42), STORE_BAD);
    cr_assert_eq(commit_guarded(fixture->store, guard, DELETE("key"), 42), STORE_BAD);
    check_absent(fixture->store, AT("other"));
}

CONTRACT(contract, a_guarded_record_is_deleted)
{
    put_letters(fixture->store);
    struct store_guard guard = {AT("a"), 2};
    cr_assert_eq(commit_guarded(fixture->store, guard, DELETE("a"), 43), STORE_CONFLICT);
    check_record(fixture->store, AT("a"), 1, BYTES("1"));
    guard.version = 1;
    cr_assert_eq(commit_guarded(fixture->store, guard, DELETE("a"), 43), STORE_OK);
    check_absent(fixture->store, AT("a"));
}

CONTRACT(contract, two_guards_of_a_record_hold_where_they_are_the_same)
{
    put_letters(fixture->store);
    struct store_guard guards[] = {{AT("a"), 1}, {AT("a"), 1}};
    struct store_operation operation = PUT("a", "2");
    struct store_commit commit = {.id = 9,
                                  .guards = guards,
                                  .guard_count = 2,
                                  .operations = &operation,
                                  .operation_count = 1};
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_OK);
    guards[0].version = 9;
    guards[1].version = 1;
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_CONFLICT);
}

CONTRACT(contract, a_commit_has_at_most_512_guards)
{
    static struct store_guard guards[STORE_GUARDS + 1];
    put_letters(fixture->store);
    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++)
        guards[i] = (struct store_guard){AT("a"), 1};
    struct store_commit commit = {.id = 9, .guards = guards, .guard_count = 513};
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_LIMIT);
    commit.guard_count = 512;
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_OK);
}

CONTRACT(contract, a_commit_of_guards_alone_only_checks_them)
{
    put_letters(fixture->store);
    struct store_guard guard = {AT("a"), 1};
    struct store_commit commit = {.id = 9, .guards = &guard, .guard_count = 1};
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_OK);
    guard.version = 2;
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_CONFLICT);
    check_record(fixture->store, AT("a"), 1, BYTES("1"));
}

enum { COUNTING_THREADS = 4, INCREMENTS = 50 };

// Reads the counter and writes it back one higher, guarded; true if no other writer came between.
static bool
try_increment(store_t *store)
{
    struct store_address address = AT("counter");
    store_version_t version = 0;
    void *value = NULL;
    size_t size = 0;
    uint32_t counter = 0;
    if (store_get(store, &address, 0, &version, &value, &size) == STORE_OK)
        memcpy(&counter, value, sizeof counter);
    free(value);
    counter++;
    struct store_operation operation = {.address = address, .value = {&counter, sizeof counter}};
    struct store_guard guard = {address, version};
    return commit_guarded(store, guard, operation, store_version_new()) == STORE_OK;
}

static void *
count_up(void *store)
{
    for (int done = 0; done < INCREMENTS;)
        done += try_increment(store);
    return NULL;
}

CONTRACT(contract, guarded_commits_of_several_threads_lose_no_update)
{
    pthread_t threads[COUNTING_THREADS];
    for (size_t i = 0; i < COUNTING_THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, count_up, fixture->store), 0);
    for (size_t i = 0; i < COUNTING_THREADS; i++)
        pthread_join(threads[i], NULL);
    uint32_t expected = COUNTING_THREADS * INCREMENTS;
    check_record(fixture->store, AT("counter"), 0, (struct bytes){&expected, sizeof expected});
}

// ---------------------------------------------------------------- limits, deadlines, wrong calls

static enum store_result
commit_many(store_t *store, size_t count)
{
    struct store_operation *operations = memory_take_zeroed(count * sizeof *operations);
    char(*keys)[8] = memory_take_zeroed(count * sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        int size = snprintf(keys[i], sizeof keys[i], "%06zu", i);
        operations[i] = (struct store_operation){
            .address = {FAMILY_SCENE, PART, {keys[i], (size_t)size}}, .value = BYTES("v")};
    }
    struct store_commit commit = {.id = 1, .operations = operations, .operation_count = count};
    enum store_result result = store_commit(store, &commit, 0);
    free(operations);
    free(keys);
    return result;
}

CONTRACT(contract, a_commit_has_at_most_40000_operations)
{
    cr_assert_eq(commit_many(fixture->store, 40001), STORE_LIMIT);
    check_absent(fixture->store, AT("000000"));
    cr_assert_eq(commit_many(fixture->store, 40000), STORE_OK);
    check_record(fixture->store, AT("039999"), 1, BYTES("v"));
}

// Two operations, keys of one byte: together `bytes`.
static enum store_result
commit_bytes(store_t *store, size_t bytes)
{
    char *value = memory_take_zeroed(bytes);
    struct store_operation operations[] = {PUT("a", ""), PUT("b", "")};
    operations[0].value = (struct bytes){value, bytes / 2 - 1};
    operations[1].value = (struct bytes){value, bytes - bytes / 2 - 1};
    struct store_commit commit = {.id = 1, .operations = operations, .operation_count = 2};
    enum store_result result = store_commit(store, &commit, 0);
    free(value);
    return result;
}

CONTRACT(contract, a_commit_has_at_most_4_mib_of_keys_and_values)
{
    cr_assert_eq(commit_bytes(fixture->store, LIMIT_COMMIT_BYTES + 1), STORE_LIMIT);
    check_absent(fixture->store, AT("a"));
    check_absent(fixture->store, AT("b"));
    cr_assert_eq(commit_bytes(fixture->store, LIMIT_COMMIT_BYTES), STORE_OK);
}

CONTRACT(contract, a_value_whose_size_wraps_around_is_over_the_limit)
{
    struct store_operation operations[] = {PUT("a", "v"), PUT("b", "v")};
    operations[1].value.size = SIZE_MAX;
    struct store_commit commit = {.id = 1, .operations = operations, .operation_count = 2};
    cr_assert_eq(store_commit(fixture->store, &commit, 0), STORE_LIMIT);
}

CONTRACT(contract, after_its_deadline_a_call_does_nothing)
{
    put_letters(fixture->store);
    uint64_t passed_ms = clock_now_ms() - 1;
    struct store_address address = AT("a");
    store_version_t version;
    void *value;
    size_t size;
    cr_assert_eq(store_get(fixture->store, &address, passed_ms, &version, &value, &size),
                 STORE_UNAVAILABLE);
    struct visit_log log = {0};
    cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, false, 0,
                            passed_ms, visit_log_add, &log),
                 STORE_UNAVAILABLE);
    cr_assert_eq(log.count, 0);
    struct store_operation operation = DELETE("a");
    struct store_commit commit = {.id = 2, .operations = &operation, .operation_count = 1};
    cr_assert_eq(store_commit(fixture->store, &commit, passed_ms), STORE_UNAVAILABLE);
    check_record(fixture->store, AT("a"), 1, BYTES("1"));
    cr_assert_eq(store_ping(fixture->store, passed_ms), STORE_UNAVAILABLE);
}

CONTRACT(contract, before_its_deadline_a_call_is_answered)
{
    struct store_operation operation = PUT("a", "1");
    struct store_commit commit = {.id = 2, .operations = &operation, .operation_count = 1};
    uint64_t deadline_ms = clock_deadline_ms(60000);
    cr_assert_eq(store_commit(fixture->store, &commit, deadline_ms), STORE_OK);
    struct visit_log log = {0};
    cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, false, 0,
                            deadline_ms, visit_log_add, &log),
                 STORE_OK);
    cr_assert_str_eq(log.keys, "a ");
}

CONTRACT(contract, an_address_outside_the_ranges_is_a_bad_call)
{
    static const char long_key[STORE_KEY_BYTES + 1];
    const struct store_address addresses[] = {
        {FAMILY_COUNT, PART, BYTES("a")},
        {FAMILY_SCENE, 1024, BYTES("a")},
        {FAMILY_SCENE, PART, {long_key, sizeof long_key}},
    };
    for (size_t i = 0; i < 3; i++) {
        struct store_operation operation = {.address = addresses[i], .value = BYTES("v")};
        cr_assert_eq(commit_one(fixture->store, operation, 1), STORE_BAD);
        struct store_guard guard = {addresses[i], 0};
        cr_assert_eq(commit_guarded(fixture->store, guard, PUT("a", "v"), 1), STORE_BAD);
        store_version_t version;
        void *value;
        size_t size;
        cr_assert_eq(store_get(fixture->store, &addresses[i], 0, &version, &value, &size),
                     STORE_BAD);
    }
    check_absent(fixture->store, AT("a"));
}

CONTRACT(contract, the_longest_key_is_a_key)
{
    static const char long_key[STORE_KEY_BYTES];
    struct store_address address = {FAMILY_ASSET, 1023, {long_key, sizeof long_key}};
    put(fixture->store, address, BYTES("v"));
    check_record(fixture->store, address, 0, BYTES("v"));
}

CONTRACT(contract, a_commit_without_an_id_is_a_bad_call)
{
    cr_assert_eq(commit_one(fixture->store, PUT("a", "v"), 0), STORE_BAD);
    check_absent(fixture->store, AT("a"));
}

CONTRACT(contract, a_store_that_works_answers_a_ping)
{
    cr_assert_eq(store_ping(fixture->store, 0), STORE_OK);
    struct visit_log log = {0};
    cr_assert_eq(store_scan(fixture->store, FAMILY_SCENE, PART, UNBOUNDED, UNBOUNDED, false, 0, 0,
                            visit_log_add, &log),
                 STORE_OK);
    cr_assert_eq(log.count, 0, "the ping left a record");
}

// ---------------------------------------------------------------- checkpoints

CONTRACT(contract, a_checkpoint_is_a_new_folder_and_writes_go_on)
{
    char folder[TEMPORARY_PATH_BYTES];
    temporary_path(&fixture->directory, "checkpoint", folder);
    put(fixture->store, AT("key"), BYTES("value"));
    if (fixture->store->is_shared) // it has no files of ours
        cr_skip_test("a database makes its backups itself");
    cr_assert_eq(store_checkpoint(fixture->store, folder), STORE_OK);
    cr_assert_eq(access(folder, R_OK), 0);
    put(fixture->store, AT("key"), BYTES("later"));
    check_record(fixture->store, AT("key"), 0, BYTES("later"));
}

CONTRACT(contract, a_checkpoint_over_a_folder_that_is_there_is_bad)
{
    char folder[TEMPORARY_PATH_BYTES];
    temporary_path(&fixture->directory, "checkpoint", folder);
    cr_assert_eq(store_checkpoint(fixture->store, folder),
                 fixture->store->is_shared ? STORE_BAD : STORE_OK);
    cr_assert_eq(store_checkpoint(fixture->store, folder), STORE_BAD);
}
