// erased_users_test.c - who is remembered, and for how long.
#include "actors/runtime/erased_users.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct erased_users users;

static void
add_number(unsigned number)
{
    char id[USER_ID_SIZE];
    snprintf(id, sizeof id, "%u", number);
    erased_users_add(&users, id);
}

Test(erased_users, nobody_is_erased_at_first)
{
    cr_assert_not(erased_users_have(&users, ""));
    cr_assert_not(erased_users_have(&users, "bob"));
}

Test(erased_users, those_who_were_noted_are_known)
{
    erased_users_add(&users, "bob");
    erased_users_add(&users, "ann");
    cr_assert(erased_users_have(&users, "bob"));
    cr_assert(erased_users_have(&users, "ann"));
    cr_assert_not(erased_users_have(&users, "bo"));
}

Test(erased_users, one_who_is_noted_again_takes_no_other_place)
{
    erased_users_add(&users, "bob");
    for (unsigned i = 0; i < 2 * ERASED_USERS_MOST; i++)
        erased_users_add(&users, "ann");
    cr_assert(erased_users_have(&users, "bob"));
}

Test(erased_users, the_oldest_is_forgotten_for_a_new_one)
{
    for (unsigned i = 0; i <= ERASED_USERS_MOST; i++)
        add_number(i);
    cr_assert_not(erased_users_have(&users, "0"));
    cr_assert(erased_users_have(&users, "1"));
    cr_assert(erased_users_have(&users, "64"));
}
