// user_index_test.c - what users are found and listed by in the store.
#include "actors/user/user_index.h"

#include <criterion/criterion.h>

#include "actors/user/user_actor.h"
#include "proto/base/arena.h"
#include "proto/records/list_kind.h"
#include "proto/records/user.h"

TestSuite(user_index);

// Also of a member of list_kind.c that somebody adds later.
Test(user_index, users_have_a_row_for_each_order_that_they_are_listed_in)
{
    const struct index_family family = user_actor_indexes();
    enum list_order order;
    unsigned listed = 0;
    for (size_t i = 0; i < family.count; i++) {
        if (!list_kind_of(family.kinds[i].schema))
            continue;
        listed++;
        cr_assert(list_rows_are_whole(&user_lists, &family.kinds[i], &order), "%s",
                  list_order_name(order));
    }
    cr_assert_eq(1, listed);
}

static unsigned
count(unsigned id, const struct user *user)
{
    struct arena arena = {0};
    const struct texts *made = index_row_with_id(user_index, id)->make(&arena, &user->base);
    unsigned found = (unsigned)texts_count(made);
    arena_finish(&arena);
    return found;
}

Test(user_index, administrators_who_may_log_in_and_open_accounts_have_a_row_of_their_own)
{
    struct arena arena = {0};
    struct record *record = record_new(&arena, &user_schema);
    struct user *user = (struct user *)(void *)record;
    cr_expect_eq(0, count(INDEX_USER_ROLE, user));
    cr_expect_eq(0, count(INDEX_USER_OPEN, user));
    user->is_admin = user->is_open = true;
    cr_expect_eq(0, count(INDEX_USER_ROLE, user));
    cr_expect_eq(1, count(INDEX_USER_OPEN, user));
    user->is_active = true;
    cr_expect_eq(1, count(INDEX_USER_ROLE, user));
    arena_finish(&arena);
}
