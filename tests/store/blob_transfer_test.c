// blob_transfer_test.c - one transfer of a blob at a time: who wants the same takes its result, who
// wants another thing waits, and nobody waits for ever. Real threads.
#include "store/blob_transfer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITERS = 8, PATIENCE_MS = 20000, SHORT_MS = 20 };

static const struct blob_hash some = {{1}}, other_one = {{2}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct blob_transfers transfers;
static struct blob_transfer *mine;

struct asker {
    pthread_t thread;
    enum blob_transfer_kind kind;
    bool is_asking; // holds the lock until it waits
    bool is_his;
    enum error error;
    int file;
    struct fault fault;
};

static struct asker askers[WAITERS];

static enum error
begin_one(const struct blob_hash *hash, enum blob_transfer_kind kind,
          struct blob_transfer **ret_mine, int *ret_file)
{
    *ret_file = -1;
    pthread_mutex_lock(&lock);
    enum error error = blob_transfer_begin(&transfers, &lock, hash, kind, ret_mine, ret_file);
    pthread_mutex_unlock(&lock);
    return error;
}

static void
end_one(struct blob_transfer *transfer, enum error error, int file)
{
    pthread_mutex_lock(&lock);
    blob_transfer_end(&transfers, transfer, error, file);
    pthread_mutex_unlock(&lock);
}

static void
begin(void)
{
    int file;
    blob_transfers_init(&transfers, PATIENCE_MS);
    cr_assert_eq(begin_one(&some, BLOB_FETCH, &mine, &file), OK);
    cr_assert_not_null(mine);
}

static void
finish(void)
{
    blob_transfers_finish(&transfers);
}

TestSuite(blob_transfer, .init = begin, .fini = finish, .timeout = 60);

static void *
ask(void *argument)
{
    struct asker *self = argument;
    struct blob_transfer *his = NULL;
    self->file = -1;
    pthread_mutex_lock(&lock);
    self->is_asking = true;
    self->error = blob_transfer_begin(&transfers, &lock, &some, self->kind, &his, &self->file);
    self->is_his = his != NULL;
    if (self->error != OK)
        self->fault = *fault_last();
    if (his)
        blob_transfer_end(&transfers, his, OK, -1);
    pthread_mutex_unlock(&lock);
    return NULL;
}

// All wait when it returns.
static void
start_askers(unsigned count, enum blob_transfer_kind kind)
{
    for (unsigned i = 0; i < count; i++) {
        askers[i] = (struct asker){.kind = kind};
        cr_assert_eq(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
        for (bool is_asking = false; !is_asking; usleep(100)) {
            pthread_mutex_lock(&lock);
            is_asking = askers[i].is_asking;
            pthread_mutex_unlock(&lock);
        }
    }
}

static void
join(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pthread_join(askers[i].thread, NULL);
}

Test(blob_transfer, of_others_gives_its_file_to_all_who_wait)
{
    char name[] = "/tmp/diorama-transfer-XXXXXX";
    int file = mkstemp(name);
    struct stat left, right;
    cr_assert_eq(unlink(name), 0);
    cr_assert_eq(fstat(file, &left), 0);
    start_askers(WAITERS, BLOB_FETCH);
    end_one(mine, OK, file);
    close(file);
    join(WAITERS);
    for (unsigned i = 0; i < WAITERS; i++) {
        cr_assert_eq(askers[i].error, OK);
        cr_assert_not(askers[i].is_his);
        cr_assert_eq(fstat(askers[i].file, &right), 0);
        cr_assert_eq(right.st_ino, left.st_ino);
        close(askers[i].file);
    }
}

Test(blob_transfer, of_others_gives_its_failure_to_all_who_wait)
{
    start_askers(WAITERS, BLOB_FETCH);
    end_one(mine, fail(ERR_INTERNAL, "", "these are damaged"), -1);
    cr_assert_str_eq(fault_last()->detail, "these are damaged");
    join(WAITERS);
    for (unsigned i = 0; i < WAITERS; i++) {
        cr_assert_eq(askers[i].error, ERR_INTERNAL);
        cr_assert_str_eq(askers[i].fault.detail, "these are damaged");
        cr_assert_eq(askers[i].file, -1);
    }
}

Test(blob_transfer, of_another_kind_is_waited_for_and_then_made)
{
    start_askers(1, BLOB_REMOVAL);
    end_one(mine, OK, -1);
    join(1);
    cr_assert_eq(askers[0].error, OK);
    cr_assert(askers[0].is_his);
}

Test(blob_transfer, of_another_blob_is_not_waited_for)
{
    struct blob_transfer *second;
    int file;
    cr_assert_eq(begin_one(&other_one, BLOB_FETCH, &second, &file), OK);
    cr_assert_not_null(second);
    end_one(second, OK, -1);
    end_one(mine, OK, -1);
}

Test(blob_transfer, that_takes_too_long_is_waited_for_no_longer)
{
    struct blob_transfer *second;
    int file;
    transfers.patience_ms = SHORT_MS;
    cr_assert_eq(begin_one(&some, BLOB_FETCH, &second, &file), ERR_UNAVAILABLE);
    cr_assert_null(second);
    cr_assert_eq(begin_one(&some, BLOB_PUT, &second, &file), ERR_UNAVAILABLE);
    cr_assert_null(second);
    end_one(mine, OK, -1);
}

Test(blob_transfer, that_has_ended_is_begun_again)
{
    struct blob_transfer *second;
    int file;
    end_one(mine, fail(ERR_UNAVAILABLE, "", "not now"), -1);
    cr_assert_eq(begin_one(&some, BLOB_FETCH, &second, &file), OK);
    cr_assert_not_null(second);
    end_one(second, OK, -1);
}
