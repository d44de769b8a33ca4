// tar_file_test.c - entries come back as they were put, and equal ones make equal files.
#include "store/backup/tar_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

static struct temporary folder;
static char path[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    temporary_init(&folder);
    temporary_path(&folder, "a.tar", path);
}

static void
end(void)
{
    temporary_finish(&folder);
}

TestSuite(tar_file, .init = begin, .fini = end);

static void
write_two(const char *to)
{
    owned(tar_writer_destroy) tar_writer_t *writer = NULL;
    cr_assert_eq(tar_writer_create(to, &writer), OK, "%s", fault_last()->detail);
    cr_assert_eq(tar_writer_begin(writer, "a/one", 6), OK);
    cr_assert_eq(tar_writer_put(writer, "abc", 3), OK);
    cr_assert_eq(tar_writer_put(writer, "def", 3), OK);
    cr_assert_eq(tar_writer_begin(writer, "two", 0), OK);
    cr_assert_eq(tar_writer_finish(&writer), OK);
}

static void
check_entry(tar_reader_t *reader, const char *expected_name, const char *expected)
{
    const char *name;
    uint64_t size;
    char data[16] = "";
    size_t got;
    cr_assert_eq(tar_reader_next(reader, &name, &size), OK);
    cr_assert_str_eq(name, expected_name);
    cr_assert_eq(size, strlen(expected));
    cr_assert_eq(tar_reader_read(reader, data, sizeof data, &got), OK);
    cr_assert_eq(got, strlen(expected));
    cr_assert_str_eq(data, expected);
}

Test(tar_file, entries_come_back_as_they_were_put)
{
    owned(tar_reader_destroy) tar_reader_t *reader = NULL;
    const char *name;
    uint64_t size;
    write_two(path);
    cr_assert_eq(tar_reader_create(path, &reader), OK);
    check_entry(reader, "a/one", "abcdef");
    check_entry(reader, "two", "");
    cr_assert_eq(tar_reader_next(reader, &name, &size), OK);
    cr_assert_null(name);
}

Test(tar_file, equal_entries_make_equal_files)
{
    char other[TEMPORARY_PATH_BYTES];
    struct file_digest first, second;
    const struct backup_pace pace = {0};
    uint64_t size;
    temporary_path(&folder, "b.tar", other);
    write_two(path);
    write_two(other);
    cr_assert_eq(backup_file_digest(path, &pace, &first, &size), OK);
    cr_assert_eq(backup_file_digest(other, &pace, &second, &size), OK);
    cr_assert_eq(memcmp(&first, &second, sizeof first), 0);
}

Test(tar_file, a_file_that_is_there_is_not_written_over)
{
    tar_writer_t *writer = NULL;
    write_two(path);
    cr_assert_neq(tar_writer_create(path, &writer), OK);
    cr_assert_null(writer);
}

Test(tar_file, what_is_no_tar_is_refused)
{
    tar_reader_t *reader = NULL;
    const char *name;
    uint64_t size;
    char missing[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "missing.tar", missing);
    cr_assert_eq(tar_reader_create(missing, &reader), ERR_NOT_FOUND);
    cr_assert_eq(backup_file_write(path, "no tar, but more than nothing", 29), OK);
    enum error error = tar_reader_create(path, &reader);
    if (error == OK)
        error = tar_reader_next(reader, &name, &size);
    cr_assert_eq(error, ERR_INVALID);
    tar_reader_destroy(&reader);
}

Test(tar_file, a_link_is_no_file)
{
    char command[3 * TEMPORARY_PATH_BYTES];
    tar_reader_t *reader = NULL;
    const char *name;
    uint64_t size;
    snprintf(command, sizeof command, "cd $(dirname %s) && ln -s /etc/passwd l && tar -cf %s l",
             path, path);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(tar_reader_create(path, &reader), OK);
    cr_assert_eq(tar_reader_next(reader, &name, &size), ERR_INVALID);
    tar_reader_destroy(&reader);
}
