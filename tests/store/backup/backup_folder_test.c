// backup_folder_test.c - names of backups, which of them count, and which of them go.
#include "store/backup/backup_folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/temporary.h"

static struct temporary folder;
static struct arena arena;
static char dir[TEMPORARY_PATH_BYTES];

static void
begin(void)
{
    temporary_init(&folder);
    arena_init(&arena);
    temporary_path(&folder, "backups", dir);
    cr_assert_eq(backup_folder_open(dir), OK);
}

static void
end(void)
{
    arena_finish(&arena);
    temporary_finish(&folder);
}

TestSuite(backup_folder, .init = begin, .fini = end);

static void
make_folder(const char *name)
{
    char path[BACKUP_PATH_SIZE];
    cr_assert_eq(backup_path(dir, name, path), OK);
    cr_assert_eq(backup_folder_make(path), OK);
}

static bool
is_there(const char *name)
{
    char path[BACKUP_PATH_SIZE];
    cr_assert_eq(backup_path(dir, name, path), OK);
    return access(path, F_OK) == 0;
}

Test(backup_folder, a_name_is_the_time_in_utc_with_milliseconds)
{
    char name[BACKUP_NAME_SIZE];
    backup_name(UINT64_C(1795547527690332), name);
    cr_assert_str_eq(name, "2026-11-24T19-12-07.690Z");
}

Test(backup_folder, complete_backups_are_named_newest_first)
{
    const struct texts *names;
    make_folder("2026-11-24T19-12-07.690Z");
    make_folder("2026-11-25T00-00-00.000Z");
    make_folder("2026-11-26T00-00-00.000Z.partial");
    make_folder("lost+found");
    cr_assert_eq(backup_folder_names(dir, &arena, &names), OK);
    cr_assert_eq(names->count, 2);
    cr_assert_str_eq(text_chars(names->items[0]), "2026-11-25T00-00-00.000Z");
    cr_assert_str_eq(text_chars(names->items[1]), "2026-11-24T19-12-07.690Z");
}

Test(backup_folder, what_a_kill_left_goes_when_it_is_opened_and_nothing_else)
{
    make_folder("2026-11-24T19-12-07.690Z.partial");
    make_folder("mine");
    cr_assert_eq(backup_folder_open(dir), OK);
    cr_assert(!is_there("2026-11-24T19-12-07.690Z.partial"));
    cr_assert(is_there("mine"));
}

Test(backup_folder, a_backup_has_its_name_when_it_is_finished)
{
    char name[BACKUP_NAME_SIZE], path[BACKUP_PATH_SIZE];
    cr_assert_eq(backup_folder_begin(dir, UINT64_C(1795547527690332), name, path), OK);
    cr_assert(is_there("2026-11-24T19-12-07.690Z.partial"));
    cr_assert_eq(backup_folder_finish(dir, name), OK);
    cr_assert(is_there("2026-11-24T19-12-07.690Z"));
    cr_assert(!is_there("2026-11-24T19-12-07.690Z.partial"));
}

Test(backup_folder, a_time_that_came_before_gets_the_next_free_name)
{
    char name[BACKUP_NAME_SIZE], path[BACKUP_PATH_SIZE];
    make_folder("2026-11-24T19-12-07.690Z");
    cr_assert_eq(backup_folder_begin(dir, UINT64_C(1795547527690332), name, path), OK);
    cr_assert_str_eq(name, "2026-11-24T19-12-07.691Z");
}

Test(backup_folder, the_oldest_go_and_the_newest_stay)
{
    make_folder("2026-11-24T00-00-00.000Z");
    make_folder("2026-11-25T00-00-00.000Z");
    make_folder("2026-11-26T00-00-00.000Z");
    cr_assert_eq(backup_folder_prune(dir, 2), OK);
    cr_assert(!is_there("2026-11-24T00-00-00.000Z"));
    cr_assert(is_there("2026-11-25T00-00-00.000Z"));
    cr_assert(is_there("2026-11-26T00-00-00.000Z"));
}

static struct backup *
some_backup(int64_t format)
{
    struct backup *self = (struct backup *)(void *)record_new(&arena, &backup_schema);
    self->key = text_from(&arena, "2026-11-24T19-12-07.690Z");
    self->created_us = 1795547527690332;
    self->format = format;
    self->base.present =
        FIELD_BIT(BACKUP_KEY) | FIELD_BIT(BACKUP_CREATED) | FIELD_BIT(BACKUP_FORMAT);
    return self;
}

Test(backup_folder, what_a_backup_says_of_itself_is_read_as_it_was_written)
{
    struct backup *read;
    cr_assert_eq(backup_write(dir, some_backup(1)), OK);
    cr_assert_eq(backup_read(dir, &arena, &read), OK);
    cr_assert_str_eq(text_chars(read->key), "2026-11-24T19-12-07.690Z");
    cr_assert_eq(read->created_us, 1795547527690332);
}

Test(backup_folder, a_newer_form_is_refused)
{
    struct backup *read;
    cr_assert_eq(backup_write(dir, some_backup(2)), OK);
    cr_assert_eq(backup_read(dir, &arena, &read), ERR_INVALID);
    cr_assert_not_null(
        strstr(fault_last()->detail, "is of form 2; this version reads forms up to 1"));
}

Test(backup_folder, a_folder_without_a_record_is_no_backup)
{
    struct backup *read;
    cr_assert_eq(backup_read(dir, &arena, &read), ERR_INVALID);
    cr_assert_not_null(strstr(fault_last()->detail, "is no backup"));
}

Test(backup_folder, a_folder_that_cannot_be_made_is_told_by_its_path)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&folder, "missing/backups", path);
    cr_assert_eq(backup_folder_open(path), ERR_NOT_FOUND);
    cr_assert_not_null(strstr(fault_last()->detail, path));
}
