// blob_referred_test.c - blobs stay while records refer to them, whatever happens while records are
// asked. What records refer to is a list of the test, behind a lock; real files.
#include "store/blob_referred.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "store/blob.h"
#include "tests/support/temporary.h"

enum { MOST = 3000, PATIENCE_MS = 10000 };

// The records, and what happens at the next question about one blob, when its answer is known.
static struct {
    pthread_mutex_t lock;
    struct blob_hash items[MOST];
    size_t count;
    unsigned asked;
    bool is_broken;
    struct blob_hash about;
    void (*after)(void);
} records = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct temporary folder;
static blobs_t *blobs;

static void
call_once(void (**hook)(void))
{
    void (*call)(void) = *hook;
    *hook = NULL;
    if (call)
        call();
}

static fallible
list(void *context, const struct blob_hash *low, size_t limit, struct blob_hash *ret_hashes,
     size_t *ret_count)
{
    (void)context;
    pthread_mutex_lock(&records.lock);
    bool is_broken = records.is_broken;
    *ret_count = 0;
    for (size_t i = 0; i < records.count && *ret_count < limit; i++)
        if (blob_hash_compare(&records.items[i], low) >= 0)
            ret_hashes[(*ret_count)++] = records.items[i];
    records.asked++;
    pthread_mutex_unlock(&records.lock);
    if (blob_hash_compare(low, &records.about) == 0)
        call_once(&records.after);
    return is_broken ? ERR_UNAVAILABLE : OK;
}

static void
add_record(const struct blob_hash *hash)
{
    pthread_mutex_lock(&records.lock);
    records.items[records.count++] = *hash;
    qsort(records.items, records.count, sizeof *hash, blob_hash_compare);
    pthread_mutex_unlock(&records.lock);
}

static void
end_records(void)
{
    pthread_mutex_lock(&records.lock);
    records.count = 0;
    pthread_mutex_unlock(&records.lock);
}

static bool
measure(const char *path, uint64_t *ret_free)
{
    (void)path;
    *ret_free = UINT64_MAX;
    return true;
}

static void
open_blobs(void)
{
    const struct config config = {.data_dir = folder.path};
    cr_assert_eq(blob_folder_open(&config, measure, &blobs), OK);
    blobs_sweep(blobs, &(struct blob_records){.list = list});
}

static void
begin(void)
{
    temporary_init(&folder);
    open_blobs();
}

static void
end(void)
{
    blobs_destroy(&blobs);
    temporary_finish(&folder);
}

TestSuite(blob_referred, .init = begin, .fini = end);

static struct blob_pin *
put(const char *bytes)
{
    blob_writer_t *writer;
    struct blob_pin *pin;
    cr_assert_eq(blob_begin(blobs, 1000, &writer), OK);
    cr_assert_eq(blob_write(writer, bytes, strlen(bytes)), OK);
    cr_assert_eq(blob_finish(&writer, &pin), OK);
    return pin;
}

// A durable record refers to the bytes; the hash of them.
static struct blob_hash
put_recorded(const char *bytes)
{
    struct blob_pin *pin = put(bytes);
    struct blob_hash hash = pin->hash;
    add_record(&hash);
    blob_refer(blobs, &hash);
    blob_unpin(&pin);
    return hash;
}

static bool
is_there(const struct blob_hash *hash)
{
    char name[BLOB_NAME_SIZE], path[TEMPORARY_PATH_BYTES], below[sizeof name + 8];
    folder_name(hash, name);
    snprintf(below, sizeof below, "blobs/%s", name);
    temporary_path(&folder, below, path);
    return access(path, F_OK) == 0;
}

static bool
is_gone_soon(const struct blob_hash *hash)
{
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while (is_there(hash) && clock_left_ms(deadline_ms) > 0)
        usleep(1000);
    return !is_there(hash);
}

// What the remover had to do before is done: it removes one after the other, the last one first.
static void
await_remover(void)
{
    for (int round = 0; round < 2; round++) {
        struct blob_pin *pin = put("nobody needs this");
        struct blob_hash hash = pin->hash;
        blob_unpin(&pin);
        cr_assert(is_gone_soon(&hash));
    }
}

Test(blob_referred, what_a_record_leaves_goes_unless_another_one_refers_to_it)
{
    struct blob_hash hash = put_recorded("abc");
    blob_leave(blobs, &hash);
    await_remover();
    cr_assert(is_there(&hash));
    end_records();
    blob_leave(blobs, &hash);
    cr_assert(is_gone_soon(&hash));
}

Test(blob_referred, an_upload_that_became_a_record_is_not_asked_about)
{
    await_remover();
    unsigned asked = records.asked;
    struct blob_hash hash = put_recorded("abc");
    await_remover();
    cr_assert_eq(records.asked, asked + 2, "%u", records.asked - asked);
    cr_assert(is_there(&hash));
}

Test(blob_referred, a_record_that_ends_while_its_bytes_are_pinned_is_noticed)
{
    struct blob_pin *pin = put("abc");
    struct blob_hash hash = pin->hash;
    blob_refer(blobs, &hash);
    blob_leave(blobs, &hash);
    await_remover();
    cr_assert(is_there(&hash));
    blob_unpin(&pin);
    cr_assert(is_gone_soon(&hash));
}

// --- while records are asked ---

static struct blob_pin *pinned;

static void
pin_again(void)
{
    pinned = put("abc");
}

static void
record_again(void)
{
    put_recorded("abc");
}

static void
keep(void)
{
    blob_keep(blobs, &records.about);
}

static void
hold_all(void)
{
    blobs_hold(blobs);
}

// Waits for what the remover does.
static bool
is_soon(bool (*is_so)(const struct folder *folder, const struct blob_hash *hash),
        const struct blob_hash *hash)
{
    struct folder *self = folder_of(blobs);
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    for (;;) {
        pthread_mutex_lock(&self->lock);
        bool is = is_so(self, hash);
        pthread_mutex_unlock(&self->lock);
        if (is || clock_left_ms(deadline_ms) == 0)
            return is;
        usleep(1000);
    }
}

// The remover has gone by the answer, and let the blob wait or removed it.
static bool
is_answered(const struct folder *self, const struct blob_hash *hash)
{
    const struct blob_entry *entry = blob_index_find(&self->index, hash);
    return self->holds && (!entry || entry->is_unused);
}

static bool
looks_again(const struct folder *self, const struct blob_hash *hash)
{
    (void)hash;
    return self->sweep_again_ms != 0;
}

static struct blob_hash
leave_while(void (*hook)(void))
{
    struct blob_hash hash = put_recorded("abc");
    await_remover();
    end_records();
    records.about = hash;
    records.after = hook;
    blob_leave(blobs, &hash);
    return hash;
}

Test(blob_referred, what_is_pinned_while_records_are_asked_stays)
{
    struct blob_hash hash = leave_while(pin_again);
    await_remover();
    cr_assert(is_there(&hash));
    blob_unpin(&pinned);
    cr_assert(is_gone_soon(&hash));
}

Test(blob_referred, what_is_kept_while_records_are_asked_stays)
{
    struct blob_hash hash = leave_while(keep);
    await_remover();
    cr_assert(is_there(&hash));
    blob_drop(blobs, &hash);
    cr_assert(is_gone_soon(&hash));
}

Test(blob_referred, what_became_a_record_while_records_are_asked_stays)
{
    struct blob_hash hash = leave_while(record_again);
    await_remover();
    cr_assert(is_there(&hash));
}

Test(blob_referred, what_is_held_while_records_are_asked_stays_until_nobody_holds_it)
{
    struct blob_hash hash = leave_while(hold_all);
    cr_assert(is_soon(is_answered, &hash));
    cr_assert(is_there(&hash));
    blobs_release(blobs);
    cr_assert(is_gone_soon(&hash));
}

Test(blob_referred, nothing_goes_while_records_cannot_be_asked)
{
    struct blob_hash hash = put_recorded("abc");
    await_remover();
    end_records();
    records.is_broken = true;
    blob_leave(blobs, &hash);
    cr_assert(is_soon(looks_again, &hash));
    blobs_destroy(&blobs); // it tries what is left
    cr_assert(is_there(&hash));
    open_blobs();
    blobs_destroy(&blobs);
    cr_assert(is_there(&hash));
    records.is_broken = false;
    open_blobs();
    cr_assert(is_gone_soon(&hash));
}

// --- sweeps ---

enum { FILES = 60 };

Test(blob_referred, a_sweep_asks_for_pages_and_leaves_what_records_refer_to)
{
    static struct blob_hash kept[FILES / 2], stray[FILES / 2];
    struct blob_hash other = {{0}};
    char bytes[32];
    records.is_broken = true; // nothing goes yet
    for (int i = 0; i < FILES; i++) {
        snprintf(bytes, sizeof bytes, "file %d", i);
        struct blob_pin *pin = put(bytes);
        *(i % 2 ? &kept[i / 2] : &stray[i / 2]) = pin->hash;
        if (i % 2)
            add_record(&pin->hash);
        blob_unpin(&pin);
    }
    for (int i = 0; i < MOST - FILES; i++) { // whose bytes are elsewhere: more than a page
        other.bytes[0] = (unsigned char)(i * 11 >> 7);
        other.bytes[1] = (unsigned char)(i * 7);
        other.bytes[2] = (unsigned char)i;
        other.bytes[3] = (unsigned char)(i >> 8);
        add_record(&other);
    }
    blobs_destroy(&blobs);
    records.is_broken = false;
    records.asked = 0;
    open_blobs();
    for (int i = 0; i < FILES / 2; i++)
        cr_assert(is_gone_soon(&stray[i]));
    for (int i = 0; i < FILES / 2; i++)
        cr_assert(is_there(&kept[i]));
    cr_assert_leq(records.asked, FILES / 2 + 4, "%u", records.asked); // pages, and each that goes
}

Test(blob_referred, bytes_that_a_record_needs_and_that_are_lost_are_an_error)
{
    struct blob_hash hash = put_recorded("abc");
    char name[BLOB_NAME_SIZE], path[TEMPORARY_PATH_BYTES], below[sizeof name + 8];
    int file;
    uint64_t size;
    folder_name(&hash, name);
    snprintf(below, sizeof below, "blobs/%s", name);
    temporary_path(&folder, below, path);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(blob_open(blobs, &hash, &file, &size), ERR_INTERNAL);
    end_records();
    cr_assert_eq(blob_open(blobs, &hash, &file, &size), ERR_NOT_FOUND);
}
