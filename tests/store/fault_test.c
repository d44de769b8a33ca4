// fault_test.c - the decorator that injects faults.
#include "store/fault.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "store/rocks.h"
#include "tests/support/temporary.h"

struct fixture {
    struct temporary directory;
    char path[TEMPORARY_PATH_BYTES];
    store_t *store;
};

static void
fixture_open(struct fixture *self, const char *plan)
{
    store_t *inner = NULL;
    cr_assert_eq(rocks_open(self->path, false, false, &inner), OK, "%s", fault_last()->detail);
    cr_assert_eq(fault_wrap(&inner, plan, &self->store), OK, "%s", fault_last()->detail);
    cr_assert_null(inner);
}

static void
fixture_init(struct fixture *self)
{
    *self = (struct fixture){.store = NULL};
    temporary_init(&self->directory);
    temporary_path(&self->directory, "store", self->path);
}

static void
fixture_finish(struct fixture *self)
{
    store_destroy(&self->store);
    temporary_finish(&self->directory);
}

static struct store_address
address_of(const int *number)
{
    return (struct store_address){FAMILY_SCENE, 0, {number, sizeof *number}};
}

static enum store_result
put_until(store_t *store, int number, uint64_t deadline_ms)
{
    struct store_operation operation = {.address = address_of(&number), .value = {"v", 1}};
    struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    return store_commit(store, &commit, deadline_ms);
}

static enum store_result
put(store_t *store, int number)
{
    return put_until(store, number, 0);
}

static enum store_result
get(store_t *store, int number)
{
    struct store_address address = address_of(&number);
    store_version_t version;
    void *value = NULL;
    size_t size;
    enum store_result result = store_get(store, &address, 0, &version, &value, &size);
    free(value);
    return result;
}

// Puts 1, 2, 3, … and checks each result and whether the record is there afterwards:
// `o` OK, `u` UNAVAILABLE, `f` FULL, `l` LIMIT, `c` CONFLICT, `?` UNKNOWN and not written, `!`
// UNKNOWN and written.
static void
check_outcomes(store_t *store, const char *expected)
{
    for (int number = 1; expected[number - 1]; number++) {
        enum store_result result = put(store, number);
        bool written = get(store, number) == STORE_OK;
        char outcome = result == STORE_OK && written             ? 'o'
                       : result == STORE_UNAVAILABLE && !written ? 'u'
                       : result == STORE_FULL && !written        ? 'f'
                       : result == STORE_LIMIT && !written       ? 'l'
                       : result == STORE_CONFLICT && !written    ? 'c'
                       : result == STORE_UNKNOWN                 ? (written ? '!' : '?')
                                                                 : 'x';
        cr_assert_eq(outcome, expected[number - 1], "commit %d: %c", number, outcome);
    }
}

static void
check_plan(const char *plan, const char *expected)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture, plan);
    check_outcomes(fixture.store, expected);
}

Test(fault, an_empty_plan_changes_nothing)
{
    check_plan("", "oooooo");
}

Test(fault, every_nth_commit_is_unavailable)
{
    check_plan("unavailable=3", "oouoouoou");
    check_plan("unavailable=1", "uuu");
}

Test(fault, every_nth_commit_finds_the_disk_full)
{
    check_plan("full=2", "ofof");
    check_plan("full=2,unavailable=4,conflict=6,unknown=2", "ofouof");
}

Test(fault, commits_of_more_bytes_than_the_limit_are_refused)
{
    check_plan("limit=4", "lll"); // a key of four bytes, a value of one
    check_plan("limit=5", "ooo");
    check_plan("limit=4,full=2,conflict=1", "lfl");
}

Test(fault, every_nth_commit_is_a_conflict)
{
    check_plan("conflict=2", "ococ");
}

Test(fault, every_nth_commit_is_unknown_and_every_second_of_these_was_written)
{
    check_plan("unknown=2", "o?o!o?o!");
    check_plan("unknown=1", "?!?!");
}

Test(fault, of_several_faults_unavailable_comes_before_conflict_before_unknown)
{
    check_plan("unknown=1,conflict=2,unavailable=4", "?c!u?c!u");
}

Test(fault, the_unwritten_and_the_written_alternate_only_over_commits_that_are_unknown)
{
    check_plan("unknown=2,unavailable=4", "o?ouo!ou");
}

Test(fault, line_ends_stand_for_commas)
{
    check_plan("conflict=2\nunavailable=3\n", "ocuco");
}

static uint64_t
duration_of_put(store_t *store)
{
    uint64_t start_us = clock_now_us();
    cr_assert_eq(put(store, 1), STORE_OK);
    return clock_now_us() - start_us;
}

static uint64_t
duration_of_get(store_t *store)
{
    uint64_t start_us = clock_now_us();
    get(store, 1);
    return clock_now_us() - start_us;
}

static bool
ignore_record(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)context, (void)key, (void)version, (void)value;
    return true;
}

static uint64_t
duration_of_scan(store_t *store)
{
    uint64_t start_us = clock_now_us();
    struct bytes unbounded = {NULL, 0};
    cr_assert_eq(
        store_scan(store, FAMILY_SCENE, 0, unbounded, unbounded, false, 0, 0, ignore_record, NULL),
        STORE_OK);
    return clock_now_us() - start_us;
}

enum { LATENCY_US = 300000 };

Test(fault, latency_holds_up_commits_and_not_reads)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture, "latency=300");
    cr_assert_geq(duration_of_put(fixture.store), LATENCY_US);
    cr_assert_lt(duration_of_get(fixture.store), LATENCY_US);
    cr_assert_lt(duration_of_scan(fixture.store), LATENCY_US);
}

Test(fault, read_latency_holds_up_gets_and_scans_and_not_commits)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture, "read-latency=300");
    cr_assert_lt(duration_of_put(fixture.store), LATENCY_US);
    cr_assert_geq(duration_of_get(fixture.store), LATENCY_US);
    cr_assert_geq(duration_of_scan(fixture.store), LATENCY_US);
}

Test(fault, latency_beyond_the_deadline_ends_with_it_and_writes_nothing)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture, "latency=60000");
    uint64_t deadline_ms = clock_deadline_ms(50);
    cr_assert_eq(put_until(fixture.store, 1, deadline_ms), STORE_UNAVAILABLE);
    cr_assert_geq(clock_now_ms(), deadline_ms);
    cr_assert_lt(clock_now_ms(), deadline_ms + 30000);
    cr_assert_eq(get(fixture.store, 1), STORE_ABSENT);
}

// ---------------------------------------------------------------- killing

// Puts 1 to 3 under the plan in a process of its own, and says which of them are there afterwards,
// `1` or `0` each, as another process sees them: RocksDB's threads do not survive a fork.
static void
check_kill(const char *plan, const char *expected)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    pid_t victim = fork();
    if (victim == 0) {
        fixture_open(&fixture, plan);
        for (int number = 1; number <= 3; number++)
            put(fixture.store, number);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(victim, &status, 0), victim);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    fixture_open(&fixture, "");
    for (int number = 1; number <= 3; number++)
        cr_assert_eq(get(fixture.store, number),
                     expected[number - 1] == '1' ? STORE_OK : STORE_ABSENT, "record %d", number);
}

Test(fault, kill_before_a_commit_leaves_those_before_it)
{
    check_kill("kill-before=2", "100");
}

Test(fault, kill_after_a_commit_leaves_it_too)
{
    check_kill("kill-after=2", "110");
}

// ---------------------------------------------------------------- plans from files

static void
write_file(const char *path, const char *content)
{
    char fresh[TEMPORARY_PATH_BYTES + 8];
    snprintf(fresh, sizeof fresh, "%s.fresh", path);
    FILE *file = fopen(fresh, "w");
    fputs(content, file);
    fclose(file);
    cr_assert_eq(rename(fresh, path), 0);
}

struct file_fixture {
    struct fixture base;
    char path[TEMPORARY_PATH_BYTES];
    char plan[TEMPORARY_PATH_BYTES + 8];
};

static void
file_fixture_init(struct file_fixture *self)
{
    fixture_init(&self->base);
    temporary_path(&self->base.directory, "plan", self->path);
    snprintf(self->plan, sizeof self->plan, "file=%s", self->path);
}

static void
file_fixture_finish(struct file_fixture *self)
{
    fixture_finish(&self->base);
}

Test(fault, a_plan_is_read_from_its_file)
{
    owned(file_fixture_finish) struct file_fixture fixture;
    file_fixture_init(&fixture);
    write_file(fixture.path, "conflict=2,\nunavailable=3\n");
    fixture_open(&fixture.base, fixture.plan);
    check_outcomes(fixture.base.store, "ocuco");
}

Test(fault, a_file_that_changes_is_a_new_plan_that_counts_anew)
{
    owned(file_fixture_finish) struct file_fixture fixture;
    file_fixture_init(&fixture);
    fixture_open(&fixture.base, fixture.plan);
    cr_assert_eq(put(fixture.base.store, 100), STORE_OK);
    write_file(fixture.path, "unavailable=2");
    cr_assert_eq(put(fixture.base.store, 101), STORE_OK);
    cr_assert_eq(put(fixture.base.store, 102), STORE_UNAVAILABLE);
    cr_assert_eq(put(fixture.base.store, 103), STORE_OK);
    write_file(fixture.path, "conflict=2");
    cr_assert_eq(put(fixture.base.store, 104), STORE_OK);
    cr_assert_eq(put(fixture.base.store, 105), STORE_CONFLICT);
    cr_assert_eq(unlink(fixture.path), 0);
    cr_assert_eq(put(fixture.base.store, 106), STORE_OK);
    cr_assert_eq(put(fixture.base.store, 107), STORE_OK);
}

Test(fault, a_file_that_cannot_be_understood_leaves_the_plan_as_it_was)
{
    owned(file_fixture_finish) struct file_fixture fixture;
    file_fixture_init(&fixture);
    write_file(fixture.path, "unavailable=2");
    fixture_open(&fixture.base, fixture.plan);
    cr_assert_eq(put(fixture.base.store, 1), STORE_OK);
    write_file(fixture.path, "conflict=often");
    cr_assert_eq(put(fixture.base.store, 2), STORE_UNAVAILABLE);
    cr_assert_eq(put(fixture.base.store, 3), STORE_OK);
}

// ---------------------------------------------------------------- threads, and wrong plans

enum { THREADS = 3, COMMITS_EACH = 100 };

static void *
count_unavailable(void *store)
{
    intptr_t count = 0;
    for (int i = 0; i < COMMITS_EACH; i++)
        count += put(store, i) == STORE_UNAVAILABLE;
    return (void *)count;
}

Test(fault, commits_of_several_threads_are_counted_once_each)
{
    owned(fixture_finish) struct fixture fixture;
    fixture_init(&fixture);
    fixture_open(&fixture, "unavailable=3");
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, count_unavailable, fixture.store), 0);
    intptr_t sum = 0;
    for (size_t i = 0; i < THREADS; i++) {
        void *count;
        pthread_join(threads[i], &count);
        sum += (intptr_t)count;
    }
    cr_assert_eq(sum, 100);
}

Test(fault, a_plan_that_makes_no_sense_is_refused_and_the_store_stays_with_the_caller)
{
    static const char *const plans[] = {"flood=1",
                                        "latency",
                                        "latency=",
                                        "latency=-1",
                                        "latency=1s",
                                        "latency=600001",
                                        "unavailable=0",
                                        "conflict=0x10",
                                        "unknown= 1",
                                        "latency=1;conflict=2",
                                        "file=",
                                        "=1",
                                        "latency=99999999999999999999"};
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&directory, "store", path);
    owned(store_destroy) store_t *inner = NULL;
    cr_assert_eq(rocks_open(path, false, false, &inner), OK);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        store_t *store = NULL;
        cr_assert_eq(fault_wrap(&inner, plans[i], &store), ERR_INVALID, "%s", plans[i]);
        cr_assert_null(store);
    }
    cr_assert_eq(store_ping(inner, 0), STORE_OK);
}

Test(fault, a_refused_plan_is_named)
{
    store_t *inner = NULL, *store = NULL;
    cr_assert_eq(fault_wrap(&inner, "conflict=2,flood=1", &store), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail, "store.fault: there is no fault flood");
    cr_assert_eq(fault_wrap(&inner, "latency=ten", &store), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail,
                     "store.fault: latency must be a number from 0 to 600000");
}
