// backup_check_test.c - checks of backups that are whole and damaged, and restores of both.
#include "store/backup/backup_check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "store/store_open.h"
#include "tests/support/backups.h"
#include "tests/support/engines.h"

static struct backups_fixture fixture;
static char path[BACKUP_PATH_SIZE]; // of a backup with the blob "abc" and a record

static void
begin(void)
{
    backups_fixture_init(&fixture);
    backups_store_blob(&fixture, "abc");
    put(fixture.store, AT("before"), BYTES("1"));
    backups_make(&fixture, 1000000, path);
}

static void
end(void)
{
    backups_fixture_finish(&fixture);
}

TestSuite(backup_check, .init = begin, .fini = end);

static struct backup_check
verified(void)
{
    struct backup_check check = {0};
    cr_assert_eq(backup_verify(path, &check), OK);
    return check;
}

static enum error
restore(void)
{
    struct backup_check check = {0};
    return backup_restore(path, fixture.to, &check);
}

static bool
is_restored(void)
{
    return access(fixture.to, F_OK) == 0;
}

Test(backup_check, a_restored_store_has_the_records_of_the_moment_and_no_later_ones)
{
    put(fixture.store, AT("after"), BYTES("2"));
    cr_assert_eq(restore(), OK, "%s", fault_last()->detail);
    owned(store_destroy) store_t *restored = NULL;
    const struct config config = {.data_dir = fixture.to, .store_sync = true};
    cr_assert_eq(store_open(&config, &restored), OK, "%s", fault_last()->detail);
    check_record(restored, AT("before"), 0, BYTES("1"));
    check_absent(restored, AT("after"));
    check_record(fixture.store, AT("after"), 0, BYTES("2"));
}

Test(backup_check, nothing_is_wrong_with_a_backup_that_was_made)
{
    const struct backup_check check = verified();
    cr_assert_eq(check.problems, 0);
    cr_assert_gt(check.files, 3);
}

struct complaint {
    char path[BACKUP_PATH_SIZE], what[64];
};

static void
note(void *context, const char *where, const char *what)
{
    struct complaint *self = context;
    snprintf(self->path, sizeof self->path, "%s", where);
    snprintf(self->what, sizeof self->what, "%s", what);
}

Test(backup_check, a_changed_byte_is_told_and_restored_nowhere)
{
    char name[BACKUP_PATH_SIZE];
    struct complaint complaint;
    struct backup_check check = {.complain = note, .context = &complaint};
    cr_assert_eq(backup_path(path, ABC_PATH, name), OK);
    FILE *file = fopen(name, "r+e");
    cr_assert(file && fputc('A', file) == 'A' && fclose(file) == 0);
    cr_assert_eq(backup_verify(path, &check), OK);
    cr_assert_eq(check.problems, 1);
    cr_assert_str_eq(complaint.path, ABC_PATH);
    cr_assert_str_eq(complaint.what, "is damaged");
    cr_assert_eq(restore(), ERR_INVALID);
    cr_assert(!is_restored());
}

Test(backup_check, a_missing_file_is_told)
{
    char name[BACKUP_PATH_SIZE];
    struct complaint complaint;
    struct backup_check check = {.complain = note, .context = &complaint};
    cr_assert_eq(backup_path(path, ABC_PATH, name), OK);
    cr_assert_eq(unlink(name), 0);
    cr_assert_eq(backup_verify(path, &check), OK);
    cr_assert_str_eq(complaint.what, "is missing");
}

Test(backup_check, a_list_that_was_changed_is_found_by_its_root)
{
    char name[BACKUP_PATH_SIZE];
    cr_assert_eq(backup_path(path, "SHA256SUMS", name), OK);
    cr_assert_eq(truncate(name, 0), 0);
    cr_assert_eq(verified().problems, 1);
    cr_assert_eq(restore(), ERR_INVALID);
    cr_assert(!is_restored());
}

Test(backup_check, nothing_is_restored_over_something)
{
    char name[BACKUP_PATH_SIZE];
    cr_assert_eq(backup_folder_make(fixture.to), OK);
    cr_assert_eq(backup_path(fixture.to, "mine", name), OK);
    cr_assert_eq(backup_file_write(name, "x", 1), OK);
    cr_assert_eq(restore(), ERR_CONFLICT);
    cr_assert_eq(unlink(name), 0);
    cr_assert_eq(restore(), OK);
}
