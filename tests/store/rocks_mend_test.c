// rocks_mend_test.c - writes that fail in the system, and the database that is opened again after
// them. Appends fail by a limit on the size of files, as they do on a full disk; syncs fail here.
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "store/rocks.h"
#include "tests/support/engines.h"

enum { PATIENCE_MS = 20000, READERS = 3, ROUNDS = 20 };

// Of this thread, which commits: what RocksDB syncs in the background is none of the test.
static _Thread_local int syncs_to_fail;

// RocksDB calls this one: the symbols of a program come before those of the system.
int
fdatasync(int file)
{
    if (syncs_to_fail > 0) {
        syncs_to_fail--;
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, file);
}

static void
fixture_init(struct engine_fixture *self)
{
    engine_fixture_init(self, 0);
    cr_assert_str_eq(self->store->engine->name, "rocksdb");
}

static void
limit_files_to(rlim_t bytes)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void
limit_files_no_more(void)
{
    limit_files_to(RLIM_INFINITY);
}

static enum store_result
get(store_t *store, struct store_address address)
{
    store_version_t version;
    void *value = NULL;
    size_t size;
    enum store_result result = store_get(store, &address, 0, &version, &value, &size);
    free(value);
    return result;
}

// Commits until it is taken; every answer before must be `refusal`.
static void
commit_when_taken(store_t *store, struct store_operation operation, enum store_result refusal)
{
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    enum store_result result;
    while ((result = commit_one(store, operation, store_version_new())) != STORE_OK) {
        cr_assert_eq(result, refusal);
        cr_assert_gt(clock_left_ms(deadline_ms), 0, "it does not recover");
    }
}

Test(rocks_mend, a_failed_append_writes_nothing_and_the_next_is_taken)
{
    owned(engine_fixture_finish) struct engine_fixture fixture;
    fixture_init(&fixture);
    static char large[1 << 20];
    put_letters(fixture.store);
    limit_files_to(sizeof large / 2);
    struct store_operation operation = {.address = AT("large"), .value = {large, sizeof large}};
    cr_assert_eq(commit_one(fixture.store, operation, 2), STORE_UNAVAILABLE);
    check_absent(fixture.store, AT("large"));
    cr_assert_eq(commit_one(fixture.store, PUT("e", "5"), 3), STORE_OK, "it was opened again");
    limit_files_no_more();
    engine_fixture_reopen(&fixture);
    check_record(fixture.store, AT("a"), 1, BYTES("1"));
    check_record(fixture.store, AT("e"), 3, BYTES("5"));
    check_absent(fixture.store, AT("large"));
}

Test(rocks_mend, what_cannot_be_written_to_is_read_until_it_can)
{
    owned(engine_fixture_finish) struct engine_fixture fixture;
    fixture_init(&fixture);
    put_letters(fixture.store);
    limit_files_to(0);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(commit_one(fixture.store, PUT("e", "5"), 2), STORE_UNAVAILABLE);
        check_record(fixture.store, AT("a"), 1, BYTES("1"));
        check_absent(fixture.store, AT("e"));
    }
    cr_assert_eq(store_ping(fixture.store, 0), STORE_UNAVAILABLE);
    limit_files_no_more();
    commit_when_taken(fixture.store, PUT("e", "5"), STORE_UNAVAILABLE);
    cr_assert_eq(store_ping(fixture.store, 0), STORE_OK);
    engine_fixture_reopen(&fixture);
    check_record(fixture.store, AT("a"), 1, BYTES("1"));
    check_record(fixture.store, AT("e"), 0, BYTES("5"));
}

// The failed sync left the whole commit in the log: there it is found, and it is durable then.
Test(rocks_mend, after_a_failed_sync_memory_says_what_the_log_says)
{
    owned(engine_fixture_finish) struct engine_fixture fixture;
    fixture_init(&fixture);
    put_letters(fixture.store);
    syncs_to_fail = 1;
    cr_assert_eq(commit_one(fixture.store, PUT("e", "5"), 2), STORE_UNKNOWN);
    check_record(fixture.store, AT("e"), 2, BYTES("5"));
    cr_assert_eq(commit_one(fixture.store, PUT("f", "6"), 3), STORE_OK);
    engine_fixture_reopen(&fixture);
    check_record(fixture.store, AT("e"), 2, BYTES("5"));
    check_record(fixture.store, AT("f"), 3, BYTES("6"));
}

Test(rocks_mend, while_nobody_knows_what_is_on_the_disk_nothing_is_read)
{
    owned(engine_fixture_finish) struct engine_fixture fixture;
    fixture_init(&fixture);
    put_letters(fixture.store);
    syncs_to_fail = 1000;
    cr_assert_eq(commit_one(fixture.store, PUT("e", "5"), 2), STORE_UNKNOWN);
    cr_assert_eq(get(fixture.store, AT("e")), STORE_UNAVAILABLE);
    cr_assert_eq(get(fixture.store, AT("a")), STORE_UNAVAILABLE);
    syncs_to_fail = 0;
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while (get(fixture.store, AT("a")) == STORE_UNAVAILABLE)
        cr_assert_gt(clock_left_ms(deadline_ms), 0, "it does not recover");
    check_record(fixture.store, AT("a"), 1, BYTES("1"));
    check_record(fixture.store, AT("e"), 2, BYTES("5"));
}

Test(rocks_mend, a_guarded_commit_is_refused_and_taken_like_any_other)
{
    owned(engine_fixture_finish) struct engine_fixture fixture;
    fixture_init(&fixture);
    put_letters(fixture.store);
    struct store_guard guard = {AT("a"), 1};
    struct store_operation operation = PUT("a", "one");
    struct store_commit commit = {.id = 2,
                                  .guards = &guard,
                                  .guard_count = 1,
                                  .operations = &operation,
                                  .operation_count = 1};
    syncs_to_fail = 1;
    cr_assert_eq(store_commit(fixture.store, &commit, 0), STORE_UNKNOWN);
    cr_assert_eq(store_commit(fixture.store, &commit, 0), STORE_CONFLICT, "it was written");
    check_record(fixture.store, AT("a"), 2, BYTES("one"));
}

// ---------------------------------------------------------------- readers meanwhile

struct reader {
    store_t *store;
    _Atomic bool ended;
    _Atomic unsigned reads;
};

static void *
read_until_ended(void *argument)
{
    struct reader *self = argument;
    while (!atomic_load(&self->ended)) {
        struct visit_log log = {0};
        enum store_result result = store_scan(self->store, FAMILY_SCENE, PART, BYTES("a"),
                                              BYTES("e"), false, 0, 0, visit_log_add, &log);
        cr_assert_eq(result, STORE_OK);
        cr_assert_str_eq(log.keys, "a b c d ");
        cr_assert_eq(get(self->store, AT("a")), STORE_OK);
        atomic_fetch_add(&self->reads, 1);
    }
    return NULL;
}

Test(rocks_mend, readers_go_on_while_it_is_opened_again)
{
    owned(engine_fixture_finish) struct engine_fixture fixture;
    fixture_init(&fixture);
    put_letters(fixture.store);
    struct reader reader = {.store = fixture.store};
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, read_until_ended, &reader), 0);
    for (int i = 0; i < ROUNDS; i++) {
        syncs_to_fail = 1;
        cr_assert_eq(commit_one(fixture.store, PUT("f", "6"), store_version_new()), STORE_UNKNOWN);
        unsigned before = atomic_load(&reader.reads);
        while (atomic_load(&reader.reads) < before + READERS)
            continue;
    }
    atomic_store(&reader.ended, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
}
