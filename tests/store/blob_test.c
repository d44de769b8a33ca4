// blob_test.c - bytes of assets as files: content addresses, pins, references, sweeps, damage, a
// full disk, and what an earlier run left behind. Real files in a folder of the test's own.
#include "store/blob.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "tests/support/temporary.h"

// SHA-256 of "abc" (FIPS 180-2, B.1).
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

enum { LIMIT = 1000000, PATIENCE_MS = 10000 };

static struct temporary folder;
static blobs_t *blobs;
static uint64_t free_bytes;

static bool
meter(const char *path, uint64_t *ret_free)
{
    (void)path;
    *ret_free = free_bytes;
    return true;
}

static void
open_folder(void)
{
    const struct config config = {
        .data_dir = folder.path, .store_sync = true, .store_reserve = 1000};
    cr_assert_eq(blob_folder_open(&config, meter, &blobs), OK);
}

static void
begin(void)
{
    temporary_init(&folder);
    free_bytes = UINT64_MAX;
    open_folder();
}

static void
end(void)
{
    blobs_destroy(&blobs);
    temporary_finish(&folder);
}

TestSuite(blob, .init = begin, .fini = end);

static const char *
path_of(const char *name)
{
    static char path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, name, path);
    return path;
}

static bool
is_there(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static bool
is_gone_soon(const char *name)
{
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while (is_there(name) && clock_left_ms(deadline_ms) > 0)
        usleep(1000);
    return !is_there(name);
}

// Files in the folders of `<folder>/blobs/tmp`, and those folders but one.
static int
temporaries_in(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    for (const struct dirent *file; (file = readdir(directory));) {
        char inner[TEMPORARY_PATH_BYTES + NAME_MAX];
        snprintf(inner, sizeof inner, "%s/%s", path, file->d_name);
        if (file->d_name[0] != '.')
            count += file->d_type == DT_DIR ? 1 + temporaries_in(inner) : 1;
    }
    closedir(directory);
    return count;
}

static int
temporaries(void)
{
    return temporaries_in(path_of("blobs/tmp")) - 1;
}

static struct blob_pin *
put(const char *bytes)
{
    blob_writer_t *writer;
    struct blob_pin *pin;
    cr_assert_eq(blob_begin(blobs, LIMIT, &writer), OK);
    cr_assert_eq(blob_write(writer, bytes, strlen(bytes)), OK);
    cr_assert_eq(blob_finish(&writer, &pin), OK);
    return pin;
}

static void
put_kept(const char *bytes)
{
    struct blob_pin *pin = put(bytes);
    blob_keep(blobs, &pin->hash);
    blob_unpin(&pin);
}

static struct blob_hash
hash_of(const char *hex)
{
    struct blob_hash hash;
    cr_assert(blob_hash_from_hex(hex, strlen(hex), &hash));
    return hash;
}

static enum error
open_abc(char *ret_bytes)
{
    const struct blob_hash hash = hash_of(ABC);
    int file;
    uint64_t size;
    enum error error = blob_open(blobs, &hash, &file, &size);
    if (error != OK)
        return error;
    cr_assert_eq(size, 3);
    cr_assert_eq(read(file, ret_bytes, 3), 3);
    close(file);
    return OK;
}

static void
write_file(const char *name, const char *bytes)
{
    FILE *file = fopen(path_of(name), "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, strlen(bytes), file), strlen(bytes));
    fclose(file);
}

Test(blob, a_finished_blob_is_a_file_named_by_its_hash)
{
    char bytes[3];
    struct blob_pin *pin = put("abc");
    const struct blob_hash expected = hash_of(ABC);
    cr_expect_arr_eq(pin->hash.bytes, expected.bytes, sizeof expected.bytes);
    cr_expect_eq(pin->size, 3);
    cr_expect(is_there("blobs/ba/" ABC));
    cr_expect_eq(temporaries(), 0);
    cr_expect_eq(open_abc(bytes), OK);
    cr_expect_arr_eq(bytes, "abc", 3);
    blob_unpin(&pin);
}

Test(blob, nothing_is_seen_of_a_blob_before_it_is_finished)
{
    char bytes[3];
    blob_writer_t *writer;
    cr_assert_eq(blob_begin(blobs, LIMIT, &writer), OK);
    cr_assert_eq(blob_write(writer, "abc", 3), OK);
    cr_expect_eq(open_abc(bytes), ERR_NOT_FOUND);
    cr_expect_eq(temporaries(), 1);
    blob_abort(&writer);
    cr_expect_eq(temporaries(), 0);
    cr_expect_null(writer);
}

Test(blob, bytes_in_pieces_are_the_same_blob)
{
    blob_writer_t *writer;
    struct blob_pin *pin;
    cr_assert_eq(blob_begin(blobs, 3, &writer), OK);
    for (const char *at = "abc"; *at; at++)
        cr_assert_eq(blob_write(writer, at, 1), OK);
    cr_assert_eq(blob_finish(&writer, &pin), OK);
    cr_expect(is_there("blobs/ba/" ABC));
    blob_unpin(&pin);
}

Test(blob, one_byte_beyond_the_limit_is_too_large)
{
    blob_writer_t *writer;
    cr_assert_eq(blob_begin(blobs, 2, &writer), OK);
    cr_expect_eq(blob_write(writer, "ab", 2), OK);
    cr_expect_eq(blob_write(writer, "c", 1), ERR_TOO_LARGE);
    blob_abort(&writer);
}

Test(blob, what_was_pinned_and_never_referred_to_goes_with_the_pin)
{
    struct blob_pin *pin = put("abc");
    blob_unpin(&pin);
    cr_expect_null(pin);
    cr_expect(is_gone_soon("blobs/ba/" ABC));
}

Test(blob, it_goes_with_the_last_of_two_references)
{
    const struct blob_hash hash = hash_of(ABC);
    put_kept("abc");
    put_kept("abc");
    blob_drop(blobs, &hash);
    put_kept("other"); // when this one is removed, the remover has run
    struct blob_pin *other = put("other too");
    blob_unpin(&other);
    cr_expect(is_there("blobs/ba/" ABC));
    blob_drop(blobs, &hash);
    cr_expect(is_gone_soon("blobs/ba/" ABC));
}

Test(blob, a_pin_outlives_the_last_reference)
{
    char bytes[3];
    const struct blob_hash hash = hash_of(ABC);
    put_kept("abc");
    struct blob_pin *pin = put("abc");
    blob_drop(blobs, &hash);
    cr_expect_eq(open_abc(bytes), OK);
    blob_keep(blobs, &hash);
    blob_unpin(&pin);
    cr_expect_eq(open_abc(bytes), OK);
}

Test(blob, an_open_file_is_readable_after_the_blob_went)
{
    const struct blob_hash hash = hash_of(ABC);
    char bytes[3];
    int file;
    uint64_t size;
    put_kept("abc");
    cr_assert_eq(blob_open(blobs, &hash, &file, &size), OK);
    blob_drop(blobs, &hash);
    cr_assert(is_gone_soon("blobs/ba/" ABC));
    cr_expect_eq(read(file, bytes, 3), 3);
    close(file);
}

Test(blob, flipped_bytes_are_an_error_and_the_same_bytes_again_mend_them)
{
    char bytes[3];
    put_kept("abc");
    write_file("blobs/ba/" ABC, "abd");
    cr_expect_eq(open_abc(bytes), ERR_INTERNAL);
    put_kept("abc");
    cr_expect_eq(open_abc(bytes), OK);
    cr_expect_arr_eq(bytes, "abc", 3);
}

Test(blob, a_file_that_is_cut_is_an_error)
{
    char bytes[3];
    put_kept("abc");
    cr_assert_eq(truncate(path_of("blobs/ba/" ABC), 2), 0);
    cr_expect_eq(open_abc(bytes), ERR_INTERNAL);
}

Test(blob, a_file_that_is_lost_is_an_error_only_where_a_record_needs_it)
{
    char bytes[3];
    cr_expect_eq(open_abc(bytes), ERR_NOT_FOUND);
    put_kept("abc");
    cr_assert_eq(unlink(path_of("blobs/ba/" ABC)), 0);
    cr_expect_eq(open_abc(bytes), ERR_INTERNAL);
}

// SHA-256 of "orphan" (sha256sum).
#define ORPHAN "blobs/88/88f6811ab5d8fc6d3177f9b7609ae0fcebfda187e5046b62d38bb539e88b74d7"

Test(blob, a_start_removes_what_was_being_written_and_a_sweep_what_nobody_refers_to)
{
    char bytes[3];
    const struct blob_hash hash = hash_of(ABC);
    put_kept("abc");
    put_kept("orphan");
    blobs_destroy(&blobs);
    write_file("blobs/tmp/17", "half of it");
    open_folder();
    cr_expect_eq(temporaries(), 0);
    cr_expect(is_there(ORPHAN));
    blob_keep(blobs, &hash);
    blobs_sweep(blobs, NULL);
    cr_expect(is_gone_soon(ORPHAN));
    cr_expect_eq(open_abc(bytes), OK);
}

Test(blob, a_sweep_leaves_what_is_pinned)
{
    char bytes[3];
    struct blob_pin *pin = put("abc");
    write_file("blobs/ba/ba00000000000000000000000000000000000000000000000000000000000000", "x");
    blobs_sweep(blobs, NULL);
    cr_expect(
        is_gone_soon("blobs/ba/ba00000000000000000000000000000000000000000000000000000000000000"));
    cr_expect_eq(open_abc(bytes), OK);
    blob_unpin(&pin);
}

Test(blob, no_writer_begins_or_goes_on_while_less_than_two_reserves_are_free)
{
    static const char block[5 << 20];
    blob_writer_t *writer;
    free_bytes = 1999;
    cr_expect_eq(blob_begin(blobs, LIMIT, &writer), ERR_STORAGE_FULL);
    free_bytes = 2000;
    cr_assert_eq(blob_begin(blobs, sizeof block * 2, &writer), OK);
    cr_expect_eq(blob_write(writer, block, sizeof block), OK);
    free_bytes = 1999;
    cr_expect_eq(blob_write(writer, block, sizeof block), ERR_STORAGE_FULL);
    blob_abort(&writer);
    cr_expect_eq(temporaries(), 0);
}

Test(blob, who_had_the_folder_before_puts_and_removes_nothing_any_more)
{
    static const char late[] = "late";
    const struct blob_hash hash = hash_of(ABC);
    char bytes[3];
    blob_writer_t *writer;
    struct blob_pin *pin;
    put_kept("abc");
    cr_assert_eq(blob_begin(blobs, LIMIT, &writer), OK);
    cr_assert_eq(blob_write(writer, late, sizeof late), OK);
    blobs_t *before = blobs;
    open_folder();
    blob_keep(blobs, &hash);
    cr_expect_eq(blob_finish(&writer, &pin), ERR_UNAVAILABLE);
    cr_expect_eq(blob_begin(before, LIMIT, &writer), ERR_UNAVAILABLE);
    blob_drop(before, &hash);
    blobs_destroy(&before); // what it would remove it has tried to
    cr_expect_eq(open_abc(bytes), OK);
    cr_expect_eq(temporaries(), 0);
}
