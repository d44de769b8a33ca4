// charge_place_test.c - a folder has one place, and no other folder has it.
#include "actors/standby/charge_place.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temporary.h"

Test(charge_place, a_folder_keeps_its_place_and_another_one_has_another)
{
    struct temporary directory;
    char one[TEMPORARY_PATH_BYTES], other[TEMPORARY_PATH_BYTES];
    char first[CHARGE_TEXT_SIZE], again[CHARGE_TEXT_SIZE], second[CHARGE_TEXT_SIZE];
    temporary_init(&directory);
    temporary_path(&directory, "one", one);
    temporary_path(&directory, "other", other);
    cr_assert_eq(mkdir(one, 0700), 0);
    cr_assert_eq(mkdir(other, 0700), 0);
    charge_place(one, first);
    charge_place(one, again);
    charge_place(other, second);
    cr_assert_neq(first[0], '\0');
    cr_assert_str_eq(first, again);
    cr_assert_str_neq(first, second);
    temporary_finish(&directory);
}

Test(charge_place, a_folder_that_is_not_there_has_none)
{
    char place[CHARGE_TEXT_SIZE];
    charge_place("/nowhere/at/all", place);
    cr_assert_str_eq(place, "");
}
