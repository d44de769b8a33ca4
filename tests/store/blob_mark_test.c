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

static void
make(char ret_mark[BLOB_MARK_SIZE])
{
    char found[BLOB_MARK_SIZE];
    cr_assert_eq(blob_mark_prepare(folder.path, ret_mark), OK);
    cr_assert(blob_mark_is_prepared(folder.path, ret_mark));
    cr_assert_eq(blob_mark_claim(folder.path, ret_mark, found), OK);
    cr_assert_str_eq(found, ret_mark);
    cr_assert_not(blob_mark_is_prepared(folder.path, ret_mark));
}

Test(blob_mark, is_read_as_it_was_made)
{
    char made[BLOB_MARK_SIZE], read[BLOB_MARK_SIZE];
    make(made);
    cr_assert_eq(blob_mark_read(folder.path, read), OK);
    cr_assert_str_eq(read, made);
    cr_assert_eq(strlen(made), BLOB_MARK_SIZE - 1);
}

Test(blob_mark, is_not_there_before_it_is_claimed)
{
    char made[BLOB_MARK_SIZE], read[BLOB_MARK_SIZE];
    cr_assert_eq(blob_mark_prepare(folder.path, made), OK);
    cr_assert_eq(blob_mark_read(folder.path, read), OK);
    cr_assert_str_eq(read, "");
}

Test(blob_mark, is_another_one_each_time_and_the_first_stays)
{
    char first[BLOB_MARK_SIZE], second[BLOB_MARK_SIZE], found[BLOB_MARK_SIZE];
    make(first);
    cr_assert_eq(blob_mark_prepare(folder.path, second), OK);
    cr_assert_str_neq(first, second);
    cr_assert_eq(blob_mark_claim(folder.path, second, found), OK);
    cr_assert_str_eq(found, first);
    cr_assert(blob_mark_is_prepared(folder.path, second));
    blob_mark_forget(folder.path, second);
    cr_assert_not(blob_mark_is_prepared(folder.path, second));
}

Test(blob_mark, that_was_claimed_is_claimed_again_without_harm)
{
    char made[BLOB_MARK_SIZE], found[BLOB_MARK_SIZE];
    make(made);
    cr_assert_eq(blob_mark_claim(folder.path, made, found), OK);
    cr_assert_str_eq(found, made);
}

Test(blob_mark, that_was_not_prepared_cannot_be_claimed)
{
    char found[BLOB_MARK_SIZE];
    cr_assert_eq(blob_mark_claim(folder.path, "0123456789abcdef0123456789abcdef", found),
                 ERR_CONFLICT);
}

// An open of a pipe that nobody writes to waits for ever.
Test(blob_mark, that_is_no_file_is_told, .timeout = 10)
{
    char mark[BLOB_MARK_SIZE], path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "PLACE", path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(blob_mark_read(folder.path, mark), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, "/PLACE is damaged"));
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(blob_mark_read(folder.path, mark), ERR_CONFLICT);
    cr_assert_not_null(strstr(fault_last()->detail, "/PLACE is damaged"));
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

Test(blob_mark, of_a_folder_that_is_not_there_makes_it)
{
    char mark[BLOB_MARK_SIZE], path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "missing", path);
    cr_assert_eq(blob_mark_try(path, true), ERR_CONFLICT);
    cr_assert_eq(blob_mark_try(path, false), OK);
    cr_assert_eq(blob_mark_prepare(path, mark), OK);
    cr_assert_eq(blob_mark_try(path, true), OK);
    temporary_path(&folder, "missing/PLACE/below", path);
    cr_assert_eq(blob_mark_prepare(path, mark), ERR_CONFLICT);
}
