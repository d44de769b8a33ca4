// log_writer_test.c - what was synced is read back, whatever came after it; and the next writer
// goes on there.
#include "store/backup/log_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "store/backup/log_folder.h"
#include "store/backup/log_reader.h"
#include "tests/support/engines.h"

static struct temporary folder;
static char dir[TEMPORARY_PATH_BYTES];
static log_writer_t *writer;

static void
begin(void)
{
    temporary_init(&folder);
    temporary_path(&folder, "log", dir);
    cr_assert_eq(backup_folder_make(dir), OK);
    cr_assert_eq(log_writer_begin(dir, "store-1", 10, 1000000, &writer), OK);
}

static void
end(void)
{
    log_writer_destroy(&writer);
    temporary_finish(&folder);
}

TestSuite(log_writer, .init = begin, .fini = end);

static void
put_change(uint64_t position, size_t size)
{
    static const char value[1 << 20];
    struct store_operation operation = PUT("a", "");
    operation.value = (struct bytes){value, size};
    log_writer_put_change(writer, &(struct store_change){.first = position,
                                                         .last = position,
                                                         .time_us = position,
                                                         .id = position * 100,
                                                         .operations = &operation,
                                                         .operation_count = 1});
}

static void
put_synced(uint64_t position)
{
    put_change(position, 1);
    log_writer_put_mark(writer, position, position * 1000);
    cr_assert_eq(log_writer_sync(writer, 2000000), OK);
}

static void
resume(void)
{
    log_writer_destroy(&writer);
    cr_assert_eq(log_writer_resume(dir, "store-1", &writer), OK, "%s", fault_last()->detail);
    cr_assert_not_null(writer);
}

static void
path_of(const char *name, char ret_path[BACKUP_PATH_SIZE])
{
    cr_assert_eq(backup_path(dir, name, ret_path), OK);
}

static const char first_name[] = "1970-01-01T00-00-01.000Z.log";

static off_t
size_of_first(void)
{
    char path[BACKUP_PATH_SIZE];
    struct stat status;
    path_of(first_name, path);
    cr_assert_eq(stat(path, &status), 0);
    return status.st_size;
}

Test(log_writer, what_was_synced_is_where_the_next_one_goes_on)
{
    put_synced(11);
    put_synced(12);
    put_change(13, 1); // is not synced
    resume();
    cr_assert_eq(log_writer_last(writer), 12);
    cr_assert_eq(log_writer_last_first(writer), 12);
    cr_assert_eq(log_writer_last_id(writer), 1200);
    cr_assert_eq(log_writer_covered_us(writer), 12000);
    put_synced(13);
    resume();
    cr_assert_eq(log_writer_last(writer), 13);
}

Test(log_writer, a_log_without_commits_begins_behind_its_position)
{
    resume();
    cr_assert_eq(log_writer_last(writer), 10);
    cr_assert_eq(log_writer_last_id(writer), 0);
    cr_assert_eq(log_writer_covered_us(writer), 1000000);
}

Test(log_writer, a_torn_end_is_cut_off)
{
    char path[BACKUP_PATH_SIZE];
    put_synced(11);
    off_t whole = size_of_first();
    put_synced(12);
    path_of(first_name, path);
    cr_assert_eq(truncate(path, whole + 9), 0);
    resume();
    cr_assert_eq(log_writer_last(writer), 11);
    cr_assert_eq(size_of_first(), whole);
    put_synced(12);
    resume();
    cr_assert_eq(log_writer_last(writer), 12);
}

Test(log_writer, zeros_at_the_end_are_what_a_loss_of_power_leaves)
{
    char path[BACKUP_PATH_SIZE];
    put_synced(11);
    off_t whole = size_of_first();
    path_of(first_name, path);
    cr_assert_eq(truncate(path, whole + 5000), 0);
    resume();
    cr_assert_eq(log_writer_last(writer), 11);
    cr_assert_eq(size_of_first(), whole);
}

Test(log_writer, damage_before_the_end_is_refused)
{
    char path[BACKUP_PATH_SIZE];
    off_t begun = size_of_first();
    put_synced(11);
    put_synced(12);
    log_writer_destroy(&writer);
    path_of(first_name, path);
    FILE *file = fopen(path, "r+");
    cr_assert_eq(fseek(file, (long)begun + 20, SEEK_SET), 0);
    fputc('!', file);
    fclose(file);
    cr_assert_eq(log_writer_resume(dir, "store-1", &writer), ERR_INVALID);
    cr_assert_null(writer);
}

Test(log_writer, another_store_does_not_go_on)
{
    log_writer_destroy(&writer);
    cr_assert_eq(log_writer_resume(dir, "store-2", &writer), OK);
    cr_assert_null(writer);
}

Test(log_writer, a_long_segment_is_closed_and_the_next_one_goes_on)
{
    owned(log_segments_finish) struct log_segments segments = {0};
    owned(log_reader_destroy) log_reader_t *reader = NULL;
    struct log_rest rest;
    for (uint64_t i = 11; i < 28; i++) {
        put_change(i, 1 << 20);
        cr_assert_eq(log_writer_sync(writer, 3000000), OK);
    }
    put_synced(28);
    cr_assert_eq(log_folder_read(dir, NULL, NULL, &segments), OK);
    cr_assert_eq(segments.count, 2);
    cr_assert(log_segment_follows(&segments, 1));
    cr_assert_eq(segments.items[1].started_us, 3000000);
    cr_assert_eq(log_reader_create(dir, segments.items[0].name, &reader), OK);
    cr_assert_eq(log_reader_rest(reader, &rest), OK);
    cr_assert(rest.is_closed);
    cr_assert_eq(rest.last, segments.items[1].after);
    struct log_digest digest = log_reader_digest(reader);
    cr_assert_eq(memcmp(&digest, &segments.items[1].before, sizeof digest), 0);
    resume();
    cr_assert_eq(log_writer_last(writer), 28);
}

Test(log_writer, a_segment_whose_header_was_not_written_is_none)
{
    char path[BACKUP_PATH_SIZE];
    put_synced(11);
    path_of("2026-01-01T00-00-00.000Z.log", path);
    cr_assert_eq(backup_file_write(path, "\0\0", 2), OK);
    resume();
    cr_assert_eq(log_writer_last(writer), 11);
}

Test(log_writer, a_blob_is_beside_the_segment_before_it_is_named)
{
    char data[TEMPORARY_PATH_BYTES], path[BACKUP_PATH_SIZE];
    const struct blob_hash hash = {{0xab}}, missing = {{0xcd}};
    char hex[BLOB_HEX_SIZE];
    struct stat status;
    blob_hash_to_hex(&hash, hex);
    temporary_path(&folder, "data", data);
    cr_assert_eq(backup_folder_make(data), OK);
    snprintf(path, sizeof path, "%s/blobs", data);
    cr_assert_eq(backup_folder_make(path), OK);
    snprintf(path, sizeof path, "%s/blobs/ab", data);
    cr_assert_eq(backup_folder_make(path), OK);
    snprintf(path, sizeof path, "%s/blobs/ab/%s", data, hex);
    cr_assert_eq(backup_file_write(path, "bytes", 5), OK);
    const struct backup_pace pace = {0};
    cr_assert_eq(log_writer_put_blob(writer, data, &hash, &pace), OK);
    cr_assert_eq(log_writer_put_blob(writer, data, &hash, &pace), OK, "once more");
    cr_assert_eq(log_writer_put_blob(writer, data, &missing, &pace), OK, "is left out");
    cr_assert_eq(log_writer_sync(writer, 2000000), OK);
    snprintf(path, sizeof path, "%s/1970-01-01T00-00-01.000Z.blobs/%s", dir, hex);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_size, 5);
    owned(log_reader_destroy) log_reader_t *reader = NULL;
    struct log_rest rest;
    cr_assert_eq(log_reader_create(dir, first_name, &reader), OK);
    cr_assert_eq(log_reader_rest(reader, &rest), OK);
    cr_assert_eq(rest.blobs, 2);
}

// --- damage, and an older form ---

static void
read_first(struct buffer *ret_bytes)
{
    char path[BACKUP_PATH_SIZE];
    path_of(first_name, path);
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file);
    buffer_clear(ret_bytes);
    buffer_reserve(ret_bytes, 4096);
    ret_bytes->size = fread(ret_bytes->data, 1, 4096, file);
    fclose(file);
}

static void
write_first(const struct buffer *bytes)
{
    char path[BACKUP_PATH_SIZE];
    path_of(first_name, path);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(backup_file_write(path, bytes->data, bytes->size), OK);
}

static fallible
read_rest(struct log_rest *ret_rest)
{
    owned(log_reader_destroy) log_reader_t *reader = NULL;
    TRY(log_reader_create(dir, first_name, &reader));
    return log_reader_rest(reader, ret_rest);
}

// Of the last frame a loss of power may have left anything: it counts as torn.
Test(log_writer, each_flipped_bit_before_the_last_frame_is_found)
{
    owned(buffer_finish) struct buffer bytes = {0};
    struct log_rest rest;
    put_synced(11);
    size_t before_last = (size_t)size_of_first();
    put_synced(12);
    read_first(&bytes);
    for (size_t bit = 0; bit < before_last * 8; bit++) {
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
        write_first(&bytes);
        cr_assert_neq(read_rest(&rest), OK, "bit %zu of byte %zu", bit % 8, bit / 8);
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    write_first(&bytes);
    cr_assert_eq(read_rest(&rest), OK);
    cr_assert_eq(rest.last, 12);
}

// A frame as form 1 had it: nothing checks its size.
static void
put_old_frame(struct buffer *out, const struct buffer *body, struct log_digest *digest)
{
    size_t begin = out->size;
    log_put_frame(out, body, digest);
    out->data[begin] = 0;
}

Test(log_writer, a_segment_of_form_1_is_read_and_goes_on)
{
    enum { FORM_BYTE = 8 };
    owned(buffer_finish) struct buffer body = {0}, out = {0};
    struct log_digest digest = {0};
    struct log_rest rest;
    const struct log_segment segment = {
        .chain = {1}, .after = 10, .started_us = 1000000, .lineage = "store-1"};
    log_put_header(&body, &segment);
    body.data[FORM_BYTE] = 1;
    put_old_frame(&out, &body, &digest);
    buffer_clear(&body);
    log_put_mark(&body, LOG_MARK, 10, 5000);
    put_old_frame(&out, &body, &digest);
    write_first(&out);
    resume();
    cr_assert_eq(log_writer_covered_us(writer), 5000);
    put_synced(11);
    resume();
    cr_assert_eq(log_writer_last(writer), 11);
    cr_assert_eq(read_rest(&rest), OK);
    cr_assert_eq(rest.commits, 1);
}
