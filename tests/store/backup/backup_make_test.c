// backup_make_test.c - backups of a real store and real blobs: what is in them, what they share,
// and what is left of one that fails.
#include "store/backup/backup_make.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/backup/backup_folder.h"
#include "tests/support/backups.h"
#include "tests/support/engines.h"

static struct backups_fixture fixture;

static void
begin(void)
{
    backups_fixture_init(&fixture);
}

static void
end(void)
{
    backups_fixture_finish(&fixture);
}

TestSuite(backup_make, .init = begin, .fini = end);

// 0 = there is no such file.
static ino_t
inode_of(const char *where, const char *name)
{
    char path[BACKUP_PATH_SIZE];
    struct stat status;
    cr_assert_eq(backup_path(where, name, path), OK);
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

Test(backup_make, says_when_it_began_and_what_it_has)
{
    char path[BACKUP_PATH_SIZE];
    backups_store_blob(&fixture, "abc");
    struct backup *backup = backups_make(&fixture, 1000000, path);
    cr_assert_str_eq(text_chars(backup->key), "1970-01-01T00-00-01.000Z");
    cr_assert_str_eq(text_chars(backup->state), "done");
    cr_assert_eq(backup->created_us, 1000000);
    cr_assert_eq(backup->epoch, 7);
    cr_assert_gt(backup->files, 3);
    cr_assert_gt(backup->bytes, 3);
    cr_assert_eq(text_size(backup->root), 64);
}

Test(backup_make, bytes_of_assets_are_there_and_shared_with_the_server)
{
    char path[BACKUP_PATH_SIZE];
    backups_store_blob(&fixture, "abc");
    struct backup *backup = backups_make(&fixture, 1000000, path);
    cr_assert_neq(inode_of(path, ABC_PATH), 0);
    cr_assert_eq(inode_of(path, ABC_PATH), inode_of(fixture.data, ABC_PATH));
    cr_assert_eq(backup->copied, 0);
}

Test(backup_make, what_does_not_change_is_shared_by_two_backups)
{
    char first[BACKUP_PATH_SIZE], second[BACKUP_PATH_SIZE];
    backups_store_blob(&fixture, "abc");
    backups_make(&fixture, 1000000, first);
    backups_make(&fixture, 2000000, second);
    cr_assert_str_neq(first, second);
    cr_assert_eq(inode_of(first, ABC_PATH), inode_of(second, ABC_PATH));
}

Test(backup_make, a_blob_whose_record_goes_meanwhile_stays_until_the_end)
{
    struct blob_hash hash = backups_store_blob(&fixture, "abc");
    blobs_hold(fixture.blobs);
    blob_drop(fixture.blobs, &hash);
    backups_store_blob(&fixture, "another");
    cr_assert_neq(inode_of(fixture.data, ABC_PATH), 0);
    blobs_release(fixture.blobs);
    while (inode_of(fixture.data, ABC_PATH))
        usleep(1000);
}

static enum error
refuse(void *context)
{
    int *left = context;
    return (*left)-- > 0 ? OK : fail(ERR_STORAGE_FULL, "", "no room");
}

Test(backup_make, nothing_is_left_of_a_backup_that_fails_wherever_it_does)
{
    put(fixture.store, AT("key"), BYTES("1"));
    backups_store_blob(&fixture, "abc");
    for (int steps = 0;; steps++) {
        int left = steps;
        const struct texts *names;
        fixture.settings.pace = (struct backup_pace){refuse, &left};
        struct backup *backup = backup_begin(&fixture.settings, &fixture.arena, 1000000);
        if (backup_make(&fixture.settings, &fixture.arena, backup) == OK) {
            cr_assert_gt(steps, 5);
            return;
        }
        cr_assert_eq(fault_last()->error, ERR_STORAGE_FULL);
        cr_assert_eq(backup_folder_names(fixture.dir, &fixture.arena, &names), OK);
        cr_assert_eq(names->count, 0);
        cr_assert_eq(inode_of(fixture.data, "backup.checkpoint"), 0);
        cr_assert_eq(inode_of(fixture.dir, "1970-01-01T00-00-01.000Z.partial"), 0);
    }
}

Test(backup_make, what_a_kill_left_beside_the_data_goes)
{
    char path[BACKUP_PATH_SIZE];
    cr_assert_eq(backup_path(fixture.data, "backup.checkpoint", path), OK);
    cr_assert_eq(backup_folder_make(path), OK);
    backup_clear(fixture.data);
    cr_assert_eq(inode_of(fixture.data, "backup.checkpoint"), 0);
}
