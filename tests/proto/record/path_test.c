// path_test.c - the JSON Pointer of what is wrong (RFC 6901).
#include "proto/record/path.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct path root = {.name = "/objects/0"};

Test(path, a_pointer_begins_with_the_root_as_it_is)
{
    cr_assert_eq(path_fail(&root, ERR_INVALID, "must be %s", "there"), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/objects/0");
    cr_assert_str_eq(fault_last()->detail, "must be there");
}

Test(path, members_and_items_follow_in_their_order)
{
    const struct path list = {.up = &root, .name = "actions"};
    const struct path item = {.up = &list, .index = 12};
    const struct path member = {.up = &item, .name = "frame"};
    cr_assert_eq(path_fail(&member, ERR_MISSING, "is needed"), ERR_MISSING);
    cr_assert_str_eq(fault_last()->pointer, "/objects/0/actions/12/frame");
}

Test(path, tildes_and_slashes_in_names_are_escaped)
{
    const struct path member = {.up = &root, .name = "a/b~c"};
    cr_assert_eq(path_fail(&member, ERR_INVALID, "is odd"), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/objects/0/a~1b~0c");
}

Test(path, a_pointer_that_is_too_long_is_cut_at_its_end)
{
    char name[sizeof fault_last()->pointer + 10];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const struct path member = {.up = &root, .name = name};
    cr_assert_eq(path_fail(&member, ERR_INVALID, "is long"), ERR_INVALID);
    cr_assert_eq(strlen(fault_last()->pointer), sizeof fault_last()->pointer - 1);
    cr_assert_eq(strncmp(fault_last()->pointer, "/objects/0/nnn", 14), 0);
}
