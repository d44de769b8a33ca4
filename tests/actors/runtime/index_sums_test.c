// index_sums_test.c - sets of index records that are the same in any order, and that are not.
#include "actors/runtime/index_sums.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static const struct index_row rows[] = {{.id = 3}, {.id = 7}};

static struct key
key_of(unsigned row, const char *value)
{
    owned(arena_finish) struct arena arena = {0};
    return index_key_of_text(&rows[row], text_from(&arena, value), (struct bytes){"n", 1});
}

static void
add(struct index_sums *self, unsigned row, const char *value)
{
    const struct key key = key_of(row, value);
    index_sums_add(self, &key);
}

Test(index_sums, do_not_mind_the_order)
{
    static struct index_sums one, other;
    add(&one, 0, "a"), add(&one, 1, "b"), add(&one, 0, "c");
    add(&other, 0, "c"), add(&other, 0, "a"), add(&other, 1, "b");
    cr_assert(index_sums_equal(&one, &other));
}

Test(index_sums, tell_the_row_in_which_one_stands_for_another)
{
    static struct index_sums one, other;
    add(&one, 0, "a"), add(&one, 1, "b");
    add(&other, 0, "a"), add(&other, 1, "c");
    const struct key first = key_of(0, "x"), second = key_of(1, "x");
    cr_assert_not(index_sums_equal(&one, &other));
    cr_assert(index_sums_agree(&one, &other, &first));
    cr_assert_not(index_sums_agree(&one, &other, &second));
}

Test(index_sums, know_rows_that_have_nothing)
{
    static struct index_sums sums;
    const struct key first = key_of(0, "x"), second = key_of(1, "x");
    add(&sums, 0, "a");
    cr_assert_not(index_sums_are_empty(&sums, &first));
    cr_assert(index_sums_are_empty(&sums, &second));
    index_sums_clear(&sums);
    cr_assert(index_sums_are_empty(&sums, &first));
}
