// known_tables_test.c - which tables need not be read again.
#include "store/backup/known_tables.h"

#include <criterion/criterion.h>
#include <string.h>

#include "store/backup/digest_list.h"
#include "tests/support/temporary.h"

static struct temporary folder;
static known_tables_t *tables;

static void
add(digest_writer_t *writer, const char *name, unsigned char byte)
{
    char path[TEMPORARY_PATH_BYTES];
    struct file_digest digest;
    memset(digest.bytes, byte, sizeof digest.bytes);
    temporary_path(&folder, name, path);
    cr_assert_eq(backup_file_write(path, "abc", 3), OK);
    cr_assert_eq(digest_writer_add(writer, &digest, name), OK);
}

// A backup with two tables, a log and a table that is listed and missing.
static void
begin(void)
{
    digest_writer_t *writer = NULL;
    struct file_digest root, digest = {{0}};
    char path[TEMPORARY_PATH_BYTES];
    temporary_init(&folder);
    temporary_path(&folder, "store", path);
    cr_assert_eq(backup_folder_make(path), OK);
    cr_assert_eq(digest_writer_create(folder.path, &writer), OK);
    add(writer, "store/000009.sst", 9);
    add(writer, "store/000010.log", 10);
    add(writer, "store/000011.sst", 11);
    cr_assert_eq(digest_writer_add(writer, &digest, "store/000012.sst"), OK);
    cr_assert_eq(digest_writer_finish(&writer, &root), OK);
    cr_assert_eq(known_tables_read(folder.path, &tables), OK);
}

static void
end(void)
{
    known_tables_destroy(&tables);
    temporary_finish(&folder);
}

TestSuite(known_tables, .init = begin, .fini = end);

Test(known_tables, a_table_of_the_same_name_and_size_is_known)
{
    struct file_digest digest;
    cr_assert(known_tables_find(tables, "store/000009.sst", 3, &digest));
    cr_assert_eq(digest.bytes[0], 9);
    cr_assert(known_tables_find(tables, "store/000011.sst", 3, &digest));
    cr_assert_eq(digest.bytes[31], 11);
}

Test(known_tables, one_of_another_size_or_name_is_not)
{
    struct file_digest digest;
    cr_assert(!known_tables_find(tables, "store/000009.sst", 4, &digest));
    cr_assert(!known_tables_find(tables, "store/000008.sst", 3, &digest));
}

Test(known_tables, logs_and_missing_tables_are_not_known)
{
    struct file_digest digest;
    cr_assert(!known_tables_find(tables, "store/000010.log", 3, &digest));
    cr_assert(!known_tables_find(tables, "store/000012.sst", 0, &digest));
}

Test(known_tables, nothing_is_known_without_a_backup)
{
    struct file_digest digest;
    cr_assert(!known_tables_find(NULL, "store/000009.sst", 3, &digest));
}
