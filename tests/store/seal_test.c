// seal_test.c - the seal of a clean stop, and how the next start uses it.
#include "store/seal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

static const char *const names[] = {"CURRENT", "MANIFEST-000005", "000004.log", "000003.sst"};
enum { NAMES = sizeof names / sizeof *names };

static void
file_write(const struct temporary *directory, const char *name, const char *content)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(directory, name, path);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(content, file), 0);
    fclose(file);
}

static bool
file_exists(const struct temporary *directory, const char *name)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(directory, name, path);
    return access(path, F_OK) == 0;
}

static void
file_remove(const struct temporary *directory, const char *name)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(directory, name, path);
    cr_assert_eq(unlink(path), 0);
}

// A directory with the files of a store, sealed.
static void
directory_init(struct temporary *self)
{
    temporary_init(self);
    for (size_t i = 0; i < NAMES; i++)
        file_write(self, names[i], "content");
    seal_put(self->path);
    cr_assert(file_exists(self, "SEAL"));
    cr_assert_not(file_exists(self, "SEAL.new"));
}

static void
check_refused(const struct temporary *directory, const char *name, const char *advice)
{
    char expected[TEMPORARY_PATH_BYTES * 2];
    snprintf(expected, sizeof expected, "cannot open %s: %s: it is damaged; restore a backup%s",
             directory->path, name, advice);
    cr_assert_eq(seal_break(directory->path, false), ERR_UNAVAILABLE, "%s", name);
    cr_assert_str_eq(fault_last()->detail, expected);
    cr_assert(file_exists(directory, "SEAL"), "the next start must refuse as well");
}

static const char log_advice[] =
    ", or start once with store.recover=point-in-time, which drops what was written after the "
    "damage";

Test(seal, is_gone_once_it_was_found_whole)
{
    owned(temporary_finish) struct temporary directory;
    directory_init(&directory);
    cr_assert_eq(seal_break(directory.path, false), OK, "%s", fault_last()->detail);
    cr_assert_not(file_exists(&directory, "SEAL"));
    for (size_t i = 0; i < NAMES; i++)
        cr_assert(file_exists(&directory, names[i]));
}

Test(seal, without_one_nothing_is_said)
{
    owned(temporary_finish) struct temporary directory;
    temporary_init(&directory);
    file_write(&directory, "CURRENT", "content");
    cr_assert_eq(seal_break(directory.path, false), OK);
    cr_assert_eq(seal_break("/there/is/no/such/place", false), OK);
}

Test(seal, a_changed_byte_is_noticed_where_it_is_the_only_witness)
{
    for (size_t i = 0; i < NAMES; i++) {
        owned(temporary_finish) struct temporary directory;
        directory_init(&directory);
        bool is_table = strstr(names[i], ".sst"), is_log = strstr(names[i], ".log");
        file_write(&directory, names[i], "cOntent");
        if (is_table) // its blocks have checksums of their own
            cr_assert_eq(seal_break(directory.path, false), OK);
        else
            check_refused(&directory, names[i], is_log ? log_advice : "");
    }
}

Test(seal, a_file_that_became_shorter_or_longer_is_noticed)
{
    for (size_t i = 0; i < 2 * NAMES; i++) {
        owned(temporary_finish) struct temporary directory;
        directory_init(&directory);
        const char *name = names[i / 2];
        file_write(&directory, name, i % 2 ? "content and more" : "cont");
        check_refused(&directory, name, strstr(name, ".log") ? log_advice : "");
    }
}

Test(seal, a_file_that_is_missing_or_new_is_noticed)
{
    for (size_t i = 0; i < NAMES; i++) {
        owned(temporary_finish) struct temporary directory;
        directory_init(&directory);
        file_remove(&directory, names[i]);
        check_refused(&directory, names[i], strstr(names[i], ".log") ? log_advice : "");
    }
    owned(temporary_finish) struct temporary directory;
    directory_init(&directory);
    file_write(&directory, "MANIFEST-000006", "content");
    check_refused(&directory, "MANIFEST-000006", "");
}

Test(seal, files_that_the_database_does_not_live_by_may_change)
{
    owned(temporary_finish) struct temporary directory;
    directory_init(&directory);
    file_write(&directory, "LOG", "words");
    file_write(&directory, "OPTIONS-000007", "words");
    file_write(&directory, "lost+found", "words");
    cr_assert_eq(seal_break(directory.path, false), OK);
}

Test(seal, a_damaged_seal_is_a_damaged_store)
{
    static const char *const contents[] = {"", "\n", "\xff\xfe", "CURRENT 7 -\n"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        owned(temporary_finish) struct temporary directory;
        directory_init(&directory);
        file_write(&directory, "SEAL", contents[i]);
        cr_assert_eq(seal_break(directory.path, false), ERR_UNAVAILABLE, "content %zu", i);
        cr_assert(file_exists(&directory, "SEAL"));
    }
}

Test(seal, damage_is_borne_where_that_is_wanted)
{
    owned(temporary_finish) struct temporary directory;
    directory_init(&directory);
    file_write(&directory, "000004.log", "cont");
    cr_assert_eq(seal_break(directory.path, true), OK);
    cr_assert_not(file_exists(&directory, "SEAL"));
}

Test(seal, a_new_one_takes_the_place_of_the_old_one)
{
    owned(temporary_finish) struct temporary directory;
    directory_init(&directory);
    file_write(&directory, "000004.log", "other content");
    seal_put(directory.path);
    cr_assert_eq(seal_break(directory.path, false), OK, "%s", fault_last()->detail);
}

Test(seal, a_directory_that_is_not_there_gets_none)
{
    seal_put("/there/is/no/such/place");
    cr_assert_neq(access("/there/is/no/such/place", F_OK), 0);
}
