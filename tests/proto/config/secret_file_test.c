// secret_file_test.c - the line of a secret's file: what is read, and what is refused.
#include "proto/config/secret_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/diorama-secret-XXXXXX";
static char line[SECRET_FILE_LINE_SIZE];

static void
write_file(const char *content, size_t size)
{
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, content, size), (ssize_t)size);
    close(file);
}

static void
remove_file(void)
{
    unlink(path);
}

TestSuite(secret_file, .fini = remove_file);

Test(secret_file, first_line_is_the_secret)
{
    write_file("one two \r\nthree\n", 16);
    cr_assert_eq(secret_file_read("key", path, line), OK);
    cr_assert_str_eq(line, "one two ");
}

Test(secret_file, blanks_behind_a_uri_are_left_out)
{
    write_file("postgresql://h/d \t\n", 19);
    cr_assert_eq(secret_file_read_uri("key", path, line), OK);
    cr_assert_str_eq(line, "postgresql://h/d");
}

Test(secret_file, what_is_no_regular_file_is_not_read_for_a_uri)
{
    cr_assert_eq(secret_file_read_uri("key", "/dev/zero", line), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail, "key: /dev/zero is no regular file");
}

Test(secret_file, a_line_of_blanks_is_no_uri)
{
    write_file(" \t \n", 4);
    cr_assert_eq(secret_file_read_uri("key", path, line), ERR_INVALID);
    cr_assert(strstr(fault_last()->detail, " is empty"));
}

Test(secret_file, a_file_that_is_not_there_is_refused_by_its_name)
{
    cr_assert_eq(secret_file_read_uri("key", "/nowhere/secret", line), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail,
                     "key: cannot read /nowhere/secret: No such file or directory");
}

Test(secret_file, a_folder_is_no_secret)
{
    cr_assert_eq(secret_file_read("key", "/tmp", line), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail, "key: cannot read /tmp: Is a directory");
}
