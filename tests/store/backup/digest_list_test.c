// digest_list_test.c - the list of a backup's files: its bytes, its root, and lines that lie.
#include "store/backup/digest_list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

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

TestSuite(digest_list, .init = begin, .fini = end);

static void
write_list(const void *bytes, size_t size)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, digest_list_name, path);
    cr_assert_eq(backup_file_write(path, bytes, size), OK);
}

// What the first line of a list is for the reader.
static enum error
first_line(const char *text, struct digest_line *ret_line)
{
    owned(digest_reader_destroy) digest_reader_t *reader = NULL;
    bool is_end = false;
    write_list(text, strlen(text));
    cr_assert_eq(digest_reader_create(folder.path, &reader), OK);
    return digest_reader_next(reader, ret_line, &is_end);
}

Test(digest_list, has_the_form_of_sha256sum_and_its_root_is_its_digest)
{
    owned(digest_writer_destroy) digest_writer_t *writer = NULL;
    struct file_digest digest, root, read;
    char path[TEMPORARY_PATH_BYTES], *text;
    size_t size;
    uint64_t list_size;
    memset(digest.bytes, 0xaa, sizeof digest.bytes);
    cr_assert_eq(digest_writer_create(folder.path, &writer), OK);
    cr_assert_eq(digest_writer_add(writer, &digest, "blobs/aa/b"), OK);
    cr_assert_eq(digest_writer_add(writer, &digest, "store/1.sst"), OK);
    cr_assert_eq(digest_writer_finish(&writer, &root), OK);
    temporary_path(&folder, "SHA256SUMS", path);
    cr_assert_eq(backup_file_read(path, 4096, &text, &size), OK);
    cr_assert_str_eq(text, A64 "  blobs/aa/b\n" A64 "  store/1.sst\n");
    free(text);
    cr_assert_eq(backup_file_digest(path, &(struct backup_pace){0}, &read, &list_size), OK);
    cr_assert_arr_eq(root.bytes, read.bytes, sizeof root.bytes);
}

Test(digest_list, is_read_as_it_was_written)
{
    owned(digest_reader_destroy) digest_reader_t *reader = NULL;
    struct digest_line line;
    bool is_end;
    write_list(A64 "  store/1.sst\n" A64 "  pub/server.key\n", 2 * 64 + 14 + 17);
    cr_assert_eq(digest_reader_create(folder.path, &reader), OK);
    cr_assert_eq(digest_reader_next(reader, &line, &is_end), OK);
    cr_assert(!is_end);
    cr_assert_str_eq(line.path, "store/1.sst");
    cr_assert_eq(line.digest.bytes[31], 0xaa);
    cr_assert_eq(digest_reader_next(reader, &line, &is_end), OK);
    cr_assert_str_eq(line.path, "pub/server.key");
    cr_assert_eq(digest_reader_next(reader, &line, &is_end), OK);
    cr_assert(is_end);
}

Test(digest_list, there_is_none)
{
    digest_reader_t *reader = NULL;
    cr_assert_eq(digest_reader_create(folder.path, &reader), ERR_NOT_FOUND);
}

Test(digest_list, two_lists_of_one_backup_are_refused)
{
    digest_writer_t *writer = NULL;
    write_list("", 0);
    cr_assert_eq(digest_writer_create(folder.path, &writer), ERR_UNAVAILABLE);
    cr_assert_null(writer);
}

// A restore must write nowhere but into its folder.
static const char *const lies[] = {
    A64 "  ../etc/passwd\n",
    A64 "  store/../../x\n",
    A64 "  store/./x\n",
    A64 "  store//x\n",
    A64 "  store/\n",
    A64 "  store\n",
    A64 "  /store/x\n",
    A64 "  other/x\n",
    A64 "  storex/y\n",
    A64 " store/x\n",
    A64 "\n",
    A64 "  store/x",
    "aa  store/x\n",
    "g" A64 "  store/x\n",
    "\n",
};

Test(digest_list, lines_that_lead_elsewhere_or_are_torn_are_invalid)
{
    struct digest_line line;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        cr_expect_eq(first_line(lies[i], &line), ERR_INVALID, "%s", lies[i]);
        end();
        begin();
    }
}

Test(digest_list, a_line_without_an_end_is_invalid_however_long)
{
    owned(digest_reader_destroy) digest_reader_t *reader = NULL;
    struct digest_line line;
    bool is_end;
    static char text[100000];
    memset(text, 'a', sizeof text);
    write_list(text, sizeof text);
    cr_assert_eq(digest_reader_create(folder.path, &reader), OK);
    cr_assert_eq(digest_reader_next(reader, &line, &is_end), ERR_INVALID);
}
