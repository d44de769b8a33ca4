// password_test.c - passwords from files; the terminal is tests/system/cli_test.py's.
#include "tools/cli/password.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

static enum error
read_text(const char *text, struct buffer *out)
{
    owned(temporary_finish) struct temporary directory;
    char path[TEMPORARY_PATH_BYTES];
    temporary_init(&directory);
    temporary_path(&directory, "password", path);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return password_read(path, true, out);
}

static void
assert_password(const char *text, const char *expected)
{
    owned(password_finish) struct buffer out = {0};
    cr_assert_eq(read_text(text, &out), OK);
    cr_assert_str_eq(out.data, expected);
}

Test(password, first_line_of_a_file_is_the_password)
{
    assert_password("s3cret", "s3cret");
    assert_password("s3cret\n", "s3cret");
    assert_password("s3cret\r\nmore\n", "s3cret");
    assert_password(" with blanks \n", " with blanks ");
}

Test(password, empty_one_is_refused)
{
    owned(password_finish) struct buffer out = {0};
    cr_assert_eq(read_text("", &out), ERR_INVALID);
    cr_assert_eq(read_text("\nsecond\n", &out), ERR_INVALID);
}

Test(password, file_that_is_not_there_is_refused)
{
    owned(password_finish) struct buffer out = {0};
    cr_assert_eq(password_read("/nonexistent/password", false, &out), ERR_UNAVAILABLE);
}
