// rocks_test.c - what RocksDB's engine does beyond the contract: layout on disk, kills, damage,
// locks, failed writes. RocksDB's threads do not survive a fork: a test that forks does so first.
#define _GNU_SOURCE // memmem
#include "store/rocks.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "tests/support/temporary.h"

struct fixture {
    struct temporary directory;
    char path[TEMPORARY_PATH_BYTES];
    store_t *store;
};

static void
fixture_init(struct fixture *self)
{
    *self = (struct fixture){.store = NULL};
    temporary_init(&self->directory);
    temporary_path(&self->directory, "store", self->path);
}

static void
fixture_open(struct fixture *self)
{
    cr_assert_eq(rocks_open(self->path, true, false, &self->store), OK, "%s", fault_last()->detail);
}

static void
fixture_finish(struct fixture *self)
{
    store_destroy(&self->store);
    temporary_finish(&self->directory);
}

// ---------------------------------------------------------------- numbered records

enum { VALUE_BYTES = 200 };

// A value that says whose it is, in every byte.
static void
value_fill(int number, char *ret_value)
{
    for (size_t i = 0; i < VALUE_BYTES; i++)
        ret_value[i] = (char)((unsigned)number * 31u + i);
}

static enum store_result
put_number(store_t *store, int number)
{
    char value[VALUE_BYTES];
    value_fill(number, value);
    struct store_operation operation = {
        .address = {FAMILY_SCENE, 1, {&number, sizeof number}},
        .value = {value, sizeof value},
    };
    struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    return store_commit(store, &commit, 0);
}

static void
put_numbers(store_t *store, int count)
{
    for (int number = 0; number < count; number++)
        cr_assert_eq(put_number(store, number), STORE_OK);
}

// STORE_OK only with the right bytes; STORE_UNKNOWN for wrong ones.
static enum store_result
get_number(store_t *store, int number)
{
    struct store_address address = {FAMILY_SCENE, 1, {&number, sizeof number}};
    char expected[VALUE_BYTES];
    value_fill(number, expected);
    store_version_t version;
    void *value = NULL;
    size_t size = 0;
    enum store_result result = store_get(store, &address, 0, &version, &value, &size);
    if (result == STORE_OK && (size != VALUE_BYTES || memcmp(value, expected, VALUE_BYTES) != 0))
        result = STORE_UNKNOWN;
    free(value);
    return result;
}

// How many of the numbers from 0 on are there without a gap; none may follow after the first gap.
static int
count_numbers(store_t *store, int max)
{
    int count = 0;
    while (count < max && get_number(store, count) == STORE_OK)
        count++;
    for (int number = count; number < max; number++)
        cr_assert_eq(get_number(store, number), STORE_ABSENT);
    return count;
}

static bool
count_record(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)key, (void)version, (void)value;
    ++*(int *)context;
    return true;
}

// ---------------------------------------------------------------- files of the store

// The path of the largest file in the store's directory whose name ends so.
static void
find_file(const char *path, const char *suffix, char *ret_path)
{
    off_t largest = -1;
    DIR *entries = opendir(path);
    cr_assert_not_null(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        size_t size = strlen(entry->d_name);
        char candidate[TEMPORARY_PATH_BYTES + 256];
        struct stat status;
        if (size < strlen(suffix) || strcmp(entry->d_name + size - strlen(suffix), suffix) != 0)
            continue;
        snprintf(candidate, sizeof candidate, "%s/%s", path, entry->d_name);
        cr_assert_eq(stat(candidate, &status), 0);
        if (status.st_size <= largest)
            continue;
        largest = status.st_size;
        snprintf(ret_path, TEMPORARY_PATH_BYTES, "%.*s", TEMPORARY_PATH_BYTES - 1, candidate);
    }
    closedir(entries);
    cr_assert_geq(largest, 0, "no file %s", suffix);
}

static off_t
file_size(const char *path)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return status.st_size;
}

static void
flip_byte(const char *path, off_t offset)
{
    unsigned char byte;
    int file = open(path, O_RDWR);
    cr_assert_eq(pread(file, &byte, 1, offset), 1);
    byte ^= 0x55;
    cr_assert_eq(pwrite(file, &byte, 1, offset), 1);
    close(file);
}

static bool
file_contains(const char *path, struct bytes expected)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t size = (size_t)file_size(path);
    char *content = memory_take(size);
    cr_assert_eq(fread(content, 1, size, file), size);
    fclose(file);
    bool found = memmem(content, size, expected.data, expected.size);
    free(content);
    return found;
}

// ---------------------------------------------------------------- layout

// The log holds a put as: kind, family, size and bytes of the key, size and bytes of the value.
Test(rocks, a_record_is_stored_as_part_and_key_to_version_and_value)
{
    static const char golden[] = "\x07\x01\x23\x53\x68\x61\x6c\x6c"
                                 "\x09\x11\x22\x33\x44\x55\x66\x77\x88\x78";
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture);
    struct store_operation operation = {.address = {FAMILY_SCENE, 291, {"Shall", 5}},
                                        .value = {"x", 1}};
    struct store_commit commit = {
        .id = 0x1122334455667788, .operations = &operation, .operation_count = 1};
    cr_assert_eq(store_commit(fixture.store, &commit, 0), STORE_OK);
    char log[TEMPORARY_PATH_BYTES];
    find_file(fixture.path, ".log", log);
    cr_assert(file_contains(log, (struct bytes){golden, sizeof golden - 1}));
}

Test(rocks, its_own_log_stays_empty)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture);
    put_numbers(fixture.store, 10);
    store_destroy(&fixture.store);
    char log[TEMPORARY_PATH_BYTES];
    find_file(fixture.path, "LOG", log);
    cr_assert_eq(file_size(log), 0);
}

// ---------------------------------------------------------------- deadlines

struct dawdle {
    uint64_t deadline_ms;
    int count;
};

static bool
dawdle_over_record(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct dawdle *self = context;
    (void)key, (void)version, (void)value;
    self->count++;
    while (clock_now_ms() < self->deadline_ms)
        continue;
    return true;
}

Test(rocks, a_scan_ends_when_its_deadline_passes_on_the_way)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture);
    put_numbers(fixture.store, 100);
    struct bytes unbounded = {NULL, 0};
    struct dawdle dawdle = {.deadline_ms = clock_deadline_ms(500)};
    cr_assert_eq(store_scan(fixture.store, FAMILY_SCENE, 1, unbounded, unbounded, false, 0,
                            dawdle.deadline_ms, dawdle_over_record, &dawdle),
                 STORE_UNAVAILABLE);
    cr_assert_eq(dawdle.count, 64, "%d records", dawdle.count);
}

// ---------------------------------------------------------------- kills

enum { KILL_ROUNDS = 10, KILL_MAX = 100000 };

// Commits 0, 1, 2, … and says each number once it is acknowledged, until it is killed.
static void
commit_until_killed(struct fixture *fixture, int first, int out)
{
    if (rocks_open(fixture->path, true, false, &fixture->store) != OK)
        _exit(1);
    for (int number = first; number < KILL_MAX; number++)
        if (put_number(fixture->store, number) != STORE_OK ||
            write(out, &number, sizeof number) != sizeof number)
            _exit(2);
    _exit(3);
}

// Exits 0 if every number below `count` is there with its own bytes.
static void
check_in_child(struct fixture *fixture, int count)
{
    pid_t child = fork();
    cr_assert_neq(child, -1);
    if (child == 0) {
        if (rocks_open(fixture->path, true, false, &fixture->store) != OK)
            _exit(1);
        for (int number = 0; number < count; number++)
            if (get_number(fixture->store, number) != STORE_OK)
                _exit(2);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
}

// The count of acknowledged numbers after a writer was killed in the middle of its work.
static int
kill_one_writer(struct fixture *fixture, int first, int wanted)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t writer = fork();
    cr_assert_neq(writer, -1);
    if (writer == 0) {
        close(ends[0]);
        commit_until_killed(fixture, first, ends[1]);
    }
    close(ends[1]);
    int count = first, number, status;
    while (read(ends[0], &number, sizeof number) == sizeof number) {
        cr_assert_eq(number, count);
        if (++count == first + wanted)
            kill(writer, SIGKILL);
    }
    close(ends[0]);
    cr_assert_eq(waitpid(writer, &status, 0), writer);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", (unsigned)status);
    return count;
}

Test(rocks, what_was_acknowledged_survives_a_kill)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    int count = 0;
    for (int round = 0; round < KILL_ROUNDS; round++) {
        count = kill_one_writer(&fixture, count, 1 + round * round * 7);
        check_in_child(&fixture, count);
    }
    cr_assert_geq(count, 10 + 285 * 7);
}

// ---------------------------------------------------------------- damage

enum { LOGGED = 100 };

// The log after LOGGED commits, the store closed.
static void
log_fill(struct fixture *fixture, char *ret_log)
{
    fixture_open(fixture);
    put_numbers(fixture->store, LOGGED);
    find_file(fixture->path, ".log", ret_log);
    store_destroy(&fixture->store);
}

// Without its seal a closed store is like one after a kill.
static void
remove_seal(const struct fixture *fixture)
{
    char seal[TEMPORARY_PATH_BYTES];
    find_file(fixture->path, "SEAL", seal);
    cr_assert_eq(unlink(seal), 0);
}

Test(rocks, a_log_with_a_torn_tail_opens_without_the_torn_commit)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    char log[TEMPORARY_PATH_BYTES];
    log_fill(&fixture, log);
    remove_seal(&fixture);
    cr_assert_eq(truncate(log, file_size(log) - 3), 0);
    fixture_open(&fixture);
    cr_assert_eq(count_numbers(fixture.store, LOGGED), LOGGED - 1);
}

Test(rocks, a_log_whose_tail_is_torn_after_a_clean_stop_is_refused)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    char log[TEMPORARY_PATH_BYTES];
    log_fill(&fixture, log);
    cr_assert_eq(truncate(log, file_size(log) - 3), 0);
    cr_assert_eq(rocks_open(fixture.path, true, false, &fixture.store), ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, ".log: it is damaged"));
    cr_assert_eq(rocks_open(fixture.path, true, true, &fixture.store), OK, "told to go on");
    cr_assert_eq(count_numbers(fixture.store, LOGGED), LOGGED - 1);
}

Test(rocks, a_log_damaged_in_the_middle_is_refused_with_what_to_do)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    char log[TEMPORARY_PATH_BYTES], expected[TEMPORARY_PATH_BYTES * 2];
    log_fill(&fixture, log);
    remove_seal(&fixture);
    flip_byte(log, file_size(log) / 2);
    cr_assert_eq(rocks_open(fixture.path, true, false, &fixture.store), ERR_UNAVAILABLE);
    cr_assert_null(fixture.store);
    snprintf(expected, sizeof expected,
             "cannot open %s: it is damaged; restore a backup, or start once with "
             "store.recover=point-in-time, which drops what was written after the damage",
             fixture.path);
    cr_assert_str_eq(fault_last()->detail, expected);
}

Test(rocks, a_damaged_log_opens_up_to_the_damage_when_told_so)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    char log[TEMPORARY_PATH_BYTES];
    log_fill(&fixture, log);
    flip_byte(log, file_size(log) / 2);
    cr_assert_eq(rocks_open(fixture.path, true, true, &fixture.store), OK);
    cr_assert_eq(count_numbers(fixture.store, LOGGED), LOGGED / 2);
    cr_assert_eq(put_number(fixture.store, LOGGED / 2), STORE_OK);
    store_destroy(&fixture.store);
    fixture_open(&fixture);
    cr_assert_eq(count_numbers(fixture.store, LOGGED), LOGGED / 2 + 1);
}

// Opening again turns the log into a table.
static void
table_fill(struct fixture *fixture, char *ret_table)
{
    fixture_open(fixture);
    put_numbers(fixture->store, LOGGED);
    store_destroy(&fixture->store);
    fixture_open(fixture);
    store_destroy(&fixture->store);
    find_file(fixture->path, ".sst", ret_table);
}

Test(rocks, records_in_a_damaged_block_are_bad_and_never_wrong)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    char table[TEMPORARY_PATH_BYTES];
    table_fill(&fixture, table);
    flip_byte(table, 100);
    fixture_open(&fixture);
    cr_assert_eq(get_number(fixture.store, 0), STORE_BAD);
    int bad = 0;
    for (int number = 0; number < LOGGED; number++) {
        enum store_result result = get_number(fixture.store, number);
        cr_assert(result == STORE_OK || result == STORE_BAD);
        bad += result == STORE_BAD;
    }
    cr_assert_lt(bad, LOGGED, "the other blocks are whole");
}

Test(rocks, a_scan_over_a_damaged_block_is_bad)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    char table[TEMPORARY_PATH_BYTES];
    table_fill(&fixture, table);
    flip_byte(table, 100);
    fixture_open(&fixture);
    struct bytes unbounded = {NULL, 0};
    int count = 0;
    cr_assert_eq(store_scan(fixture.store, FAMILY_SCENE, 1, unbounded, unbounded, false, 0, 0,
                            count_record, &count),
                 STORE_BAD);
    cr_assert_lt(count, LOGGED);
}

Test(rocks, a_guard_on_a_record_in_a_damaged_block_writes_nothing)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    char table[TEMPORARY_PATH_BYTES];
    table_fill(&fixture, table);
    flip_byte(table, 100);
    fixture_open(&fixture);
    int damaged = 0, fresh = LOGGED;
    struct store_guard guard = {{FAMILY_SCENE, 1, {&damaged, sizeof damaged}}, 1};
    struct store_operation operation = {.address = {FAMILY_SCENE, 1, {&fresh, sizeof fresh}},
                                        .value = {"v", 1}};
    struct store_commit commit = {.id = 2,
                                  .guards = &guard,
                                  .guard_count = 1,
                                  .operations = &operation,
                                  .operation_count = 1};
    cr_assert_eq(store_commit(fixture.store, &commit, 0), STORE_BAD);
    cr_assert_eq(get_number(fixture.store, fresh), STORE_ABSENT);
}

// ---------------------------------------------------------------- what stands in the way

static void
expect_advice(const char *path, const char *advice)
{
    store_t *store = NULL;
    char expected[TEMPORARY_PATH_BYTES * 2];
    snprintf(expected, sizeof expected, "cannot open %s: %s", path, advice);
    cr_assert_eq(rocks_open(path, true, false, &store), ERR_UNAVAILABLE);
    cr_assert_null(store);
    cr_assert_str_eq(fault_last()->detail, expected);
}

Test(rocks, a_store_that_another_process_has_open_is_refused)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    int ready[2], end[2];
    cr_assert(pipe(ready) == 0 && pipe(end) == 0);
    pid_t holder = fork();
    if (holder == 0) {
        bool open = rocks_open(fixture.path, true, false, &fixture.store) == OK;
        close(end[1]);
        if (write(ready[1], &open, sizeof open) == sizeof open)
            _exit(read(end[0], &open, sizeof open) == 0 ? 0 : 1); // until the test closes its end
        _exit(1);
    }
    bool open = false;
    cr_assert_eq(read(ready[0], &open, sizeof open), sizeof open);
    cr_assert(open);
    expect_advice(fixture.path,
                  "another server has it open; stop that one or set another data.dir");
    close(end[1]);
    waitpid(holder, NULL, 0);
    fixture_open(&fixture);
}

Test(rocks, a_store_that_this_process_has_open_is_refused)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture);
    expect_advice(fixture.path, "this process has it open already");
}

Test(rocks, a_file_in_the_place_of_the_directory_is_refused)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fclose(fopen(fixture.path, "w"));
    expect_advice(fixture.path, "a file stands where the data should; set another data.dir");
}
