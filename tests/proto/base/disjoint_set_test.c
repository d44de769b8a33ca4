// disjoint_set_test.c - sets of numbers that are joined and found.
#include "proto/base/disjoint_set.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(disjoint_set, each_number_begins_in_a_set_of_its_own)
{
    uint32_t *set = disjoint_set_create(3);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(disjoint_set_find(set, i), i);
    free(set);
}

Test(disjoint_set, a_set_is_named_by_its_least_number)
{
    uint32_t *set = disjoint_set_create(5);
    cr_assert(disjoint_set_join(set, 4, 3));
    cr_assert(disjoint_set_join(set, 1, 4));
    cr_assert_eq(disjoint_set_find(set, 4), 1);
    cr_assert_eq(disjoint_set_find(set, 3), 1);
    cr_assert_eq(disjoint_set_find(set, 0), 0);
    cr_assert_eq(disjoint_set_find(set, 2), 2);
    free(set);
}

Test(disjoint_set, joining_numbers_of_one_set_says_that_nothing_changed)
{
    uint32_t *set = disjoint_set_create(4);
    cr_assert(disjoint_set_join(set, 0, 1));
    cr_assert(disjoint_set_join(set, 2, 3));
    cr_assert(disjoint_set_join(set, 1, 2));
    cr_assert_not(disjoint_set_join(set, 3, 0));
    cr_assert_not(disjoint_set_join(set, 2, 2));
    free(set);
}

Test(disjoint_set, a_long_chain_has_one_name)
{
    enum { COUNT = 100000 };
    uint32_t *set = disjoint_set_create(COUNT);
    for (uint32_t i = COUNT - 1; i > 0; i--)
        cr_assert(disjoint_set_join(set, i, i - 1));
    cr_assert_eq(disjoint_set_find(set, COUNT - 1), 0);
    free(set);
}

Test(disjoint_set, an_empty_one_can_be_made)
{
    uint32_t *set = disjoint_set_create(0);
    cr_assert_not_null(set);
    free(set);
}
