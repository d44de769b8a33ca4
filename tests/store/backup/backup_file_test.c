// backup_file_test.c - digests, copies and links of single files, and what a failure leaves.
#include "store/backup/backup_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temporary.h"

// SHA-256 of "abc" (FIPS 180-2, B.1).
static const unsigned char abc[FILE_DIGEST_BYTES] = {
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};

static struct temporary folder;
static char from[TEMPORARY_PATH_BYTES], to[TEMPORARY_PATH_BYTES];
static const struct backup_pace steady = {0};

static void
begin(void)
{
    temporary_init(&folder);
    temporary_path(&folder, "from", from);
    temporary_path(&folder, "to", to);
    cr_assert_eq(backup_file_write(from, "abc", 3), OK);
}

static void
end(void)
{
    temporary_finish(&folder);
}

TestSuite(backup_file, .init = begin, .fini = end);

Test(backup_file, the_digest_is_sha_256_and_the_size_that_of_the_file)
{
    struct file_digest digest;
    uint64_t size;
    cr_assert_eq(backup_file_digest(from, &steady, &digest, &size), OK);
    cr_assert_arr_eq(digest.bytes, abc, sizeof abc);
    cr_assert_eq(size, 3);
}

Test(backup_file, a_copy_has_the_bytes_and_is_for_this_user_alone)
{
    struct file_digest digest;
    uint64_t size;
    char *bytes;
    size_t count;
    struct stat status;
    cr_assert_eq(backup_file_copy(from, to, &steady, &digest, &size), OK);
    cr_assert_arr_eq(digest.bytes, abc, sizeof abc);
    cr_assert_eq(backup_file_read(to, 3, &bytes, &count), OK);
    cr_assert_str_eq(bytes, "abc");
    free(bytes);
    cr_assert_eq(stat(to, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
}

Test(backup_file, nothing_is_copied_over_a_file)
{
    struct file_digest digest;
    uint64_t size;
    cr_assert_eq(backup_file_write(to, "old", 3), OK);
    cr_assert_eq(backup_file_copy(from, to, &steady, &digest, &size), ERR_CONFLICT);
}

Test(backup_file, a_missing_file_is_not_found)
{
    struct file_digest digest;
    uint64_t size;
    bool is_linked;
    char *bytes;
    size_t count;
    cr_assert_eq(unlink(from), 0);
    cr_assert_eq(backup_file_digest(from, &steady, &digest, &size), ERR_NOT_FOUND);
    cr_assert_eq(backup_file_copy(from, to, &steady, &digest, &size), ERR_NOT_FOUND);
    cr_assert_eq(backup_file_link(from, to, &is_linked), ERR_NOT_FOUND);
    cr_assert_eq(backup_file_read(from, 3, &bytes, &count), ERR_NOT_FOUND);
}

Test(backup_file, a_link_is_a_second_name_of_the_same_file)
{
    bool is_linked = false;
    struct stat a, b;
    cr_assert_eq(backup_file_link(from, to, &is_linked), OK);
    cr_assert(is_linked);
    cr_assert(stat(from, &a) == 0 && stat(to, &b) == 0);
    cr_assert_eq(a.st_ino, b.st_ino);
}

Test(backup_file, a_symbolic_link_is_not_followed)
{
    struct file_digest digest;
    uint64_t size;
    cr_assert_eq(symlink(from, to), 0);
    cr_assert_eq(backup_file_digest(to, &steady, &digest, &size), ERR_INVALID);
}

Test(backup_file, a_pipe_is_not_waited_for)
{
    struct file_digest digest;
    uint64_t size;
    char *bytes;
    size_t count;
    cr_assert_eq(mkfifo(to, 0600), 0);
    cr_assert_eq(backup_file_digest(to, &steady, &digest, &size), ERR_INVALID);
    cr_assert_eq(backup_file_read(to, 3, &bytes, &count), ERR_INVALID);
}

Test(backup_file, a_file_larger_than_wanted_is_not_read)
{
    char *bytes;
    size_t size;
    cr_assert_eq(backup_file_read(from, 2, &bytes, &size), ERR_INVALID);
}

static enum error
stop_at_once(void *context)
{
    (*(int *)context)++;
    return fail(ERR_STORAGE_FULL, "", "enough");
}

Test(backup_file, the_pace_ends_the_work_with_its_error)
{
    int asked = 0;
    struct file_digest digest;
    uint64_t size;
    const struct backup_pace pace = {stop_at_once, &asked};
    cr_assert_eq(backup_file_copy(from, to, &pace, &digest, &size), ERR_STORAGE_FULL);
    cr_assert_eq(asked, 1);
}

Test(backup_file, a_path_that_is_too_long_is_invalid)
{
    char name[BACKUP_PATH_SIZE], path[BACKUP_PATH_SIZE];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cr_assert_eq(backup_path("", name, path), ERR_INVALID);
    cr_assert_eq(backup_path("a", "b", path), OK);
    cr_assert_str_eq(path, "a/b");
}

Test(backup_file, a_tree_goes_with_all_in_it_and_nothing_beside_it)
{
    char tree[TEMPORARY_PATH_BYTES], below[TEMPORARY_PATH_BYTES], link_name[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "tree", tree);
    temporary_path(&folder, "tree/below", below);
    temporary_path(&folder, "tree/below/link", link_name);
    cr_assert_eq(backup_folder_make(tree), OK);
    cr_assert_eq(backup_folder_make(below), OK);
    cr_assert_eq(backup_folder_make(below), ERR_CONFLICT);
    cr_assert_eq(symlink(from, link_name), 0);
    cr_assert_eq(backup_tree_sync(tree), OK);
    backup_tree_remove(tree);
    cr_assert_neq(access(tree, F_OK), 0);
    cr_assert_eq(access(from, F_OK), 0);
}

Test(backup_file, a_claimed_folder_is_empty_and_of_one_process)
{
    char path[TEMPORARY_PATH_BYTES], file[BACKUP_PATH_SIZE];
    int lock = -1, second = -1;
    temporary_path(&folder, "new.partial", path);
    cr_assert_eq(backup_folder_claim(path, &lock), OK);
    cr_assert_eq(backup_path(path, "file", file), OK);
    cr_assert_eq(backup_file_write(file, "x", 1), OK);
    cr_assert_eq(backup_folder_claim(path, &second), ERR_CONFLICT);
    cr_assert_eq(access(file, F_OK), 0, "what is being made stays");
    close(lock); // as a kill does
    cr_assert_eq(backup_folder_claim(path, &second), OK);
    cr_assert_neq(access(file, F_OK), 0);
    close(second);
}
