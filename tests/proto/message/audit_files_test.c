// audit_files_test.c - which files of a folder belong to the audit log, and their order.
#include "proto/message/audit_files.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/temporary.h"

static void
make(const struct temporary *folder, const char *name)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(folder, name, path);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fclose(file);
}

Test(audit_files, are_ordered_by_their_first_line_and_others_are_ignored)
{
    struct temporary folder;
    struct audit_files files = {0};
    temporary_init(&folder);
    make(&folder, "audit-000000000200.jsonl");
    make(&folder, "audit-000000000001.jsonl");
    make(&folder, "audit-000000001000.jsonl.gz");
    make(&folder, "audit-.jsonl");
    make(&folder, "notes");
    make(&folder, "audit-writes-000000000007.jsonl");
    cr_assert_eq(audit_files_read(folder.path, AUDIT_CLASS_WRITES, &files), OK);
    cr_assert_eq(files.count, 1);
    cr_assert_eq(files.firsts[0], 7);
    cr_assert_eq(audit_files_read(folder.path, AUDIT_CLASS_SECURITY, &files), OK);
    cr_assert_eq(files.count, 2);
    cr_assert_eq(files.firsts[0], 1);
    cr_assert_eq(files.firsts[1], 200);
    audit_files_finish(&files);
    temporary_finish(&folder);
}

Test(audit_files, folder_that_is_not_there_is_said)
{
    struct audit_files files = {0};
    cr_assert_eq(audit_files_read("/nowhere/at/all", AUDIT_CLASS_SECURITY, &files),
                 ERR_UNAVAILABLE);
}
