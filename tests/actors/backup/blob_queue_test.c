// blob_queue_test.c - blobs wait in order, and none is removed while it waits.
#include "actors/backup/blob_queue.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "tests/support/backups.h"

static struct backups_fixture fixture;
static blob_queue_t *queue;

static void
begin(void)
{
    backups_fixture_init(&fixture);
    queue = blob_queue_create(fixture.blobs);
    blobs_listen(fixture.blobs, blob_queue_note, queue);
}

static void
end(void)
{
    blobs_listen(fixture.blobs, NULL, NULL);
    blob_queue_destroy(&queue);
    backups_fixture_finish(&fixture);
}

TestSuite(blob_queue, .init = begin, .fini = end);

static bool
is_stored(const struct blob_hash *hash)
{
    int file;
    uint64_t size;
    if (blob_open(fixture.blobs, hash, &file, &size) != OK)
        return false;
    close(file);
    return true;
}

static void
await_removal(const struct blob_hash *hash)
{
    uint64_t deadline_ms = clock_deadline_ms(10000);
    while (is_stored(hash) && clock_left_ms(deadline_ms))
        usleep(1000);
    cr_assert_not(is_stored(hash));
}

static enum error
note(void *context, const struct blob_hash *hash)
{
    struct blob_hash **next = context;
    *(*next)++ = *hash;
    return OK;
}

Test(blob_queue, has_each_blob_that_is_finished_in_order)
{
    struct blob_hash seen[3], *next = seen;
    struct blob_hash first = backups_store_blob(&fixture, "abc");
    struct blob_hash second = backups_store_blob(&fixture, "abcd");
    cr_assert_eq(blob_queue_size(queue), 2);
    cr_assert_eq(blob_queue_visit(queue, 2, note, &next), OK);
    cr_assert_arr_eq(seen[0].bytes, first.bytes, BLOB_HASH_BYTES);
    cr_assert_arr_eq(seen[1].bytes, second.bytes, BLOB_HASH_BYTES);
    blob_queue_drop(queue, 1);
    next = seen;
    cr_assert_eq(blob_queue_visit(queue, 1, note, &next), OK);
    cr_assert_arr_eq(seen[0].bytes, second.bytes, BLOB_HASH_BYTES);
}

Test(blob_queue, what_waits_is_removed_when_it_waits_no_longer)
{
    struct blob_hash hash = backups_store_blob(&fixture, "abc");
    blob_drop(fixture.blobs, &hash); // no record has it any more
    cr_assert(is_stored(&hash));
    blob_queue_drop(queue, 1);
    await_removal(&hash);
}

Test(blob_queue, takes_up_blobs_that_were_written_since_a_time)
{
    backups_store_blob(&fixture, "abc");
    blob_queue_clear(queue);
    blob_queue_add_since(queue, fixture.data, clock_calendar_us() + 3600ul * 1000000);
    cr_assert_eq(blob_queue_size(queue), 0, "an hour before what is asked for");
    blob_queue_add_since(queue, fixture.data, clock_calendar_us());
    cr_assert_eq(blob_queue_size(queue), 1);
}
