// repeat_index_test.c - what is kept is bounded by time, by payer and in all.
#include "actors/runtime/repeat_index.h"

#include <criterion/criterion.h>

enum { LIFETIME_US = 1000 };

static struct repeat_id
id_of(unsigned number)
{
    struct repeat_id id = {.part = 3};
    memcpy(id.bytes, &number, sizeof number);
    return id;
}

static void
add(struct repeat_index *index, unsigned number, const char *payer, uint64_t time_us)
{
    const struct repeat_id id = id_of(number);
    repeat_index_add(index, &id, payer, time_us);
}

static bool
has(const struct repeat_index *index, unsigned number, uint64_t now_us)
{
    const struct repeat_id id = id_of(number);
    return repeat_index_has(index, &id, now_us);
}

// The number of the next one to be removed; 0 = there is none.
static unsigned
left(struct repeat_index *index)
{
    struct repeat_id id;
    unsigned number = 0;
    if (repeat_index_take_left(index, &id))
        memcpy(&number, id.bytes, sizeof number);
    return number;
}

static struct repeat_index kept;
static budget_book_t *book;

static void
begin(void)
{
    int64_t limits[BUDGET_COUNT] = {[BUDGET_REPEATS] = 2};
    book = budget_book_create(limits, 1);
    kept = (struct repeat_index){.lifetime_us = LIFETIME_US, .book = book, .most = 4};
}

static void
end(void)
{
    repeat_index_finish(&kept);
    cr_expect_eq(budget_book_held(book, BUDGET_REPEATS, "anna"), 0, "all is given back");
    budget_book_destroy(&book);
}

TestSuite(repeat_index, .init = begin, .fini = end);

Test(repeat_index, an_answer_is_known_until_its_time_is_over)
{
    add(&kept, 1, "anna", 500);
    cr_expect(has(&kept, 1, 1499));
    cr_expect_not(has(&kept, 1, 1500));
    cr_expect_not(has(&kept, 2, 600));
}

Test(repeat_index, the_same_id_in_another_partition_is_another_request)
{
    struct repeat_id other = id_of(1);
    other.part++;
    add(&kept, 1, "anna", 500);
    cr_expect_not(repeat_index_has(&kept, &other, 600));
}

Test(repeat_index, what_is_over_leaves_in_slices)
{
    add(&kept, 1, "anna", 100);
    add(&kept, 2, "bert", 200);
    add(&kept, 3, "cora", 300);
    repeat_index_expire(&kept, 1250, 1);
    cr_expect_eq(left(&kept), 1);
    cr_expect_eq(left(&kept), 0);
    repeat_index_expire(&kept, 1250, 10);
    cr_expect_eq(left(&kept), 2);
    cr_expect_eq(left(&kept), 0);
    cr_expect(has(&kept, 3, 1250));
}

Test(repeat_index, the_oldest_of_a_payer_with_too_many_leaves)
{
    add(&kept, 1, "bert", 100);
    add(&kept, 2, "anna", 200);
    add(&kept, 3, "anna", 300);
    cr_expect_eq(budget_book_held(book, BUDGET_REPEATS, "anna"), 2);
    add(&kept, 4, "anna", 400);
    cr_expect_eq(left(&kept), 2);
    cr_expect(has(&kept, 1, 500));
    cr_expect(has(&kept, 4, 500));
    cr_expect_eq(budget_book_held(book, BUDGET_REPEATS, "anna"), 2);
}

Test(repeat_index, what_another_actor_keeps_does_not_push_out_the_newest)
{
    struct repeat_index other = {.lifetime_us = LIFETIME_US, .book = book, .most = 4};
    add(&kept, 1, "anna", 100);
    add(&kept, 2, "anna", 200);
    add(&other, 3, "anna", 300);
    cr_expect(has(&other, 3, 300), "it would be done twice");
    add(&other, 4, "anna", 400);
    cr_expect_not(has(&other, 3, 400));
    cr_expect(has(&other, 4, 400));
    repeat_index_finish(&other);
}

Test(repeat_index, the_oldest_of_all_leaves_where_there_are_too_many)
{
    const char *const payers[] = {"anna", "bert", "cora", "dora", "emil"};
    for (unsigned i = 0; i < 5; i++)
        add(&kept, i + 1, payers[i], i);
    cr_expect_eq(left(&kept), 1);
    cr_expect_eq(left(&kept), 0);
}

Test(repeat_index, what_is_kept_again_is_the_newest)
{
    add(&kept, 1, "anna", 100);
    add(&kept, 2, "anna", 200);
    add(&kept, 1, "anna", 300);
    add(&kept, 3, "anna", 400);
    cr_expect_eq(left(&kept), 2);
    cr_expect(has(&kept, 1, 500));
}

Test(repeat_index, what_is_dropped_leaves_and_can_be_put_back)
{
    const struct repeat_id id = id_of(1);
    add(&kept, 1, "anna", 100);
    repeat_index_drop(&kept, &id);
    cr_expect_not(has(&kept, 1, 100));
    cr_expect_eq(left(&kept), 1);
    repeat_index_put_left(&kept, &id);
    cr_expect_eq(left(&kept), 1);
    repeat_index_drop(&kept, &id);
    cr_expect_eq(left(&kept), 0);
}

Test(repeat_index, what_a_repeat_relies_on_is_not_dropped)
{
    const struct repeat_id id = id_of(1), absent = id_of(2);
    add(&kept, 1, "anna", 10);
    repeat_index_rely(&kept, &id);
    repeat_index_rely(&kept, &absent);
    repeat_index_drop(&kept, &id);
    cr_expect(has(&kept, 1, 20));
    cr_expect_eq(left(&kept), 0);
}
