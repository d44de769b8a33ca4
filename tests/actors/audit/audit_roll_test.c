// audit_roll_test.c - the end of the newest file: how a chain goes on, and how much of it is read.
#include "actors/audit/audit_roll.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/token.h"
#include "tests/support/temporary.h"

static struct temporary folder;
static audit_roll_t *roll;

static void
begin(void)
{
    temporary_init(&folder);
}

static void
end(void)
{
    audit_roll_close(&roll);
    temporary_finish(&folder);
}

TestSuite(audit_roll, .init = begin, .fini = end);

static void
open_roll(void)
{
    const struct audit_roll_settings settings = {
        .folder = folder.path, .class = AUDIT_CLASS_WRITES, .size = 1 << 30, .days = 30};
    cr_assert_eq(audit_roll_open(&settings, &roll), OK);
}

// A file with that text behind `hole` bytes without a line feed.
static void
make(uint64_t first, uint64_t hole, const char *text)
{
    char path[AUDIT_PATH_SIZE];
    audit_files_path(folder.path, AUDIT_CLASS_WRITES, first, path);
    FILE *file = fopen(path, "w");
    cr_assert_eq(fseek(file, (long)hole, SEEK_SET), 0);
    fputs(text, file);
    fclose(file);
}

static void
assert_goes_on(const char *last, uint64_t next)
{
    char hash[AUDIT_HASH_SIZE];
    token_digest(last, strlen(last), NULL, hash, sizeof hash);
    cr_assert_str_eq(audit_roll_hash(roll), hash);
    cr_assert_eq(audit_roll_next(roll), next, "%llu", (unsigned long long)audit_roll_next(roll));
}

// Bytes that the process has read.
static uint64_t
bytes_read(void)
{
    unsigned long long bytes = 0;
    FILE *file = fopen("/proc/self/io", "r");
    cr_assert(file && fscanf(file, "rchar: %llu", &bytes) == 1);
    fclose(file);
    return bytes;
}

Test(audit_roll, begins_with_zeros)
{
    open_roll();
    cr_assert_eq(audit_roll_next(roll), 1);
    cr_assert_eq(strspn(audit_roll_hash(roll), "0"), AUDIT_HASH_SIZE - 1);
}

Test(audit_roll, only_the_end_of_a_large_file_is_read)
{
    make(1, 64 << 20, "\n{\"number\":90}\n{\"number\":95}\n");
    uint64_t before = bytes_read();
    open_roll();
    cr_assert_lt(bytes_read() - before, 256 << 10);
    assert_goes_on("{\"number\":95}", 96);
}

Test(audit_roll, torn_line_is_cut_and_the_chain_goes_on_from_the_one_before)
{
    make(1, 0, "{\"number\":1}\n{\"number\":7}\n{\"numb");
    open_roll();
    cr_assert_eq(audit_roll_cut(roll), 6);
    assert_goes_on("{\"number\":7}", 8);
}

Test(audit_roll, torn_line_alone_in_a_file_leaves_the_chain_to_the_file_before)
{
    make(1, 0, "{\"number\":1}\n{\"number\":4}\n");
    make(5, 0, "{\"numb");
    open_roll();
    cr_assert_eq(audit_roll_cut(roll), 6);
    assert_goes_on("{\"number\":4}", 5);
}

Test(audit_roll, zeros_behind_the_last_line_are_cut)
{
    make(1, 0, "{\"number\":7}\n");
    char path[AUDIT_PATH_SIZE];
    audit_files_path(folder.path, AUDIT_CLASS_WRITES, 1, path);
    cr_assert_eq(truncate(path, 100000), 0);
    open_roll();
    assert_goes_on("{\"number\":7}", 8);
}

Test(audit_roll, last_line_that_was_changed_counts_from_the_one_before)
{
    make(1, 0, "{\"number\":41}\nnoise\nmore noise\n");
    open_roll();
    assert_goes_on("more noise", 44);
}

Test(audit_roll, empty_files_are_passed_over)
{
    make(1, 0, "{\"number\":1}\n");
    make(2, 0, "");
    make(9, 0, "");
    open_roll();
    assert_goes_on("{\"number\":1}", 9);
}
