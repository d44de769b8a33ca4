// access_item_test.c - who may read what belongs to somebody.
#include "proto/message/access_item.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// Whether `role` (user u1) sees an item of `owner`.
static bool
sees(enum caller_role role, const char *owner, bool is_public)
{
    struct arena arena = {0};
    struct caller caller = {.role = role, .user = "u1"};
    const struct access_item item = {owner ? text_from(&arena, owner) : NULL, is_public};
    bool is_seen = access_sees(&caller, &item);
    arena_finish(&arena);
    return is_seen;
}

Test(access_item, administrators_and_all_without_users_see_everything)
{
    cr_expect(sees(CALLER_ADMIN, "u2", false));
    cr_expect(sees(CALLER_TRUSTED, "u2", false));
}

Test(access_item, user_sees_what_is_theirs_or_public)
{
    cr_expect(sees(CALLER_USER, "u1", false));
    cr_expect(sees(CALLER_USER, "u2", true));
    cr_expect_not(sees(CALLER_USER, "u2", false));
    cr_expect_not(sees(CALLER_USER, NULL, false), "it is nobody's");
}

Test(access_item, who_is_not_logged_in_sees_nothing)
{
    cr_expect_not(sees(CALLER_ANONYMOUS, "u2", true));
}

Test(access_item, nobody_owns_what_has_no_owner)
{
    struct arena arena = {0};
    const struct caller nobody = {.role = CALLER_USER};
    cr_expect_not(access_is_owner(&nobody, &(struct access_item){NULL, true}));
    cr_expect_not(access_is_owner(&nobody, &(struct access_item){text_from(&arena, ""), true}));
    arena_finish(&arena);
}
