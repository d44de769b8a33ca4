// mailbox_pool_test.c - as many mailboxes as are out at the same time, the warm ones first.
#include "gateway/request/mailbox_pool.h"

#include <criterion/criterion.h>

static struct pooled_mailbox *
borrow(mailbox_pool_t *pool)
{
    struct pooled_mailbox *mailbox;
    cr_assert_eq(mailbox_pool_borrow(pool, &mailbox), OK);
    return mailbox;
}

Test(mailbox_pool, what_came_back_last_goes_out_first_with_its_ids)
{
    mailbox_pool_t *pool = mailbox_pool_create();
    struct pooled_mailbox *a = borrow(pool), *b = borrow(pool), *first = a, *second = b;
    cr_assert_neq(a, b);
    a->last_id = 7;
    mailbox_pool_give_back(pool, &b);
    mailbox_pool_give_back(pool, &a);
    cr_assert_null(a);
    a = borrow(pool);
    b = borrow(pool);
    cr_assert_eq(a, first);
    cr_assert_eq(a->last_id, 7);
    cr_assert_eq(b, second);
    mailbox_pool_give_back(pool, &a);
    mailbox_pool_give_back(pool, &b);
    mailbox_pool_destroy(&pool);
    cr_assert_null(pool);
}

Test(mailbox_pool, two_that_are_out_have_names_of_their_own)
{
    mailbox_pool_t *pool = mailbox_pool_create();
    struct pooled_mailbox *a = borrow(pool), *b = borrow(pool);
    cr_assert_str_neq(mailbox_name(a->mailbox), mailbox_name(b->mailbox));
    mailbox_pool_give_back(pool, &a);
    mailbox_pool_give_back(pool, &b);
    mailbox_pool_destroy(&pool);
}
