// blob_mark_test.c - the mark of a folder: made once, read again, and what is none.
#include "store/blob_mark.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/temporary.h"

static struct temporary folder;

static void
begin(void)
{
    temporary_init(&folder);
}

static void
end(void)
{
    temporary_finish(&folder);
}

TestSuite(blob_mark, .init = begin, .fini = end);

static void
write_file(const char *text)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "PLACE", path);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void
check_damaged(const char *text)
{
    char mark[BLOB_MARK_SIZE] = "as it was";
    write_file(text);
    cr_assert_eq(blob_mark_read(folder.path, mark), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, "/PLACE is damaged"));
    cr_assert_str_eq(mark, "as it was");
}

Test(blob_mark, is_read_as_it_was_made)
{
    char made[BLOB_MARK_SIZE], read[BLOB_MARK_SIZE];
    cr_assert_eq(blob_mark_make(folder.path, made), OK);
    cr_assert_eq(blob_mark_read(folder.path, read), OK);
    cr_assert_str_eq(read, made);
    cr_assert_eq(strlen(made), BLOB_MARK_SIZE - 1);
}

Test(blob_mark, is_another_one_each_time)
{
    char first[BLOB_MARK_SIZE], second[BLOB_MARK_SIZE];
    cr_assert_eq(blob_mark_make(folder.path, first), OK);
    cr_assert_eq(blob_mark_make(folder.path, second), OK);
    cr_assert_str_neq(first, second);
}

Test(blob_mark, is_empty_where_there_is_none)
{
    char mark[BLOB_MARK_SIZE] = "x", path[TEMPORARY_PATH_BYTES];
    cr_assert_eq(blob_mark_read(folder.path, mark), OK);
    cr_assert_str_eq(mark, "");
    temporary_path(&folder, "missing", path);
    cr_assert_eq(blob_mark_read(path, mark), OK);
    cr_assert_str_eq(mark, "");
}

Test(blob_mark, that_is_damaged_is_told)
{
    check_damaged("");
    check_damaged("0123456789abcdef");
    check_damaged("0123456789abcdef0123456789abcdeX");
}

Test(blob_mark, of_a_folder_that_is_not_there_cannot_be_made)
{
    char mark[BLOB_MARK_SIZE], path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "missing", path);
    cr_assert_eq(blob_mark_make(path, mark), ERR_CONFLICT);
    cr_assert_eq(blob_mark_try(path, true), ERR_CONFLICT);
    cr_assert_eq(blob_mark_try(path, false), OK);
    cr_assert_neq(mkdir(path, 0700), -1, "nothing was made");
    cr_assert_eq(blob_mark_try(path, true), OK);
}
