// text_set_test.c - what is in a list and what is not, whether few texts or many.
#include "proto/base/text_set.h"

#include <criterion/criterion.h>

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(text_set, .fini = end);

// The texts "0" to "count - 1".
static const struct texts *
numbers(unsigned count)
{
    struct texts *list = arena_alloc(&arena, sizeof *list + count * sizeof list->items[0]);
    for (list->count = 0; list->count < count; list->count++)
        list->items[list->count] = text_format(&arena, "%u", list->count);
    return list;
}

static const struct text *
number(unsigned value)
{
    return text_format(&arena, "%u", value);
}

Test(text_set, has_what_its_list_has)
{
    const unsigned counts[] = {0, 1, 8, 9, 1000};
    struct text_set set = {0};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        text_set_of(&set, numbers(counts[i]));
        for (unsigned k = 0; k < counts[i]; k++)
            cr_assert(text_set_has(&set, number(k)));
        cr_assert_not(text_set_has(&set, number(counts[i])));
        cr_assert_not(text_set_has(&set, number(0 - 1u)));
    }
    text_set_finish(&set);
}

Test(text_set, takes_each_text_once)
{
    struct text_set set = {0};
    text_set_of(&set, numbers(5));
    cr_assert_not(text_set_add(&set, number(4)));
    cr_assert(text_set_add(&set, number(5)));
    cr_assert_not(text_set_add(&set, number(5)));
    cr_assert(text_set_has(&set, number(5)));
    cr_assert_not(text_set_has(&set, number(6)));
    text_set_finish(&set);
}

Test(text_set, of_another_list_forgets_the_first)
{
    struct text_set set = {0};
    text_set_of(&set, numbers(20));
    cr_assert(text_set_has(&set, number(19)));
    text_set_of(&set, numbers(10));
    cr_assert_not(text_set_has(&set, number(19)));
    text_set_of(&set, NULL);
    cr_assert_not(text_set_has(&set, number(0)));
    text_set_finish(&set);
}

Test(text_set, leaves_out_what_a_list_has_said_before)
{
    const struct texts *once, *list = numbers(3);
    struct texts *twice = arena_alloc(&arena, sizeof *twice + 7 * sizeof twice->items[0]);
    twice->count = 7;
    for (uint32_t i = 0; i < 6; i++)
        twice->items[i] = list->items[(i * 2) % 3]; // 0 2 1 0 2 1
    twice->items[6] = number(9);
    once = texts_once(&arena, twice);
    cr_assert_eq(4, once->count);
    const unsigned expected[] = {0, 2, 1, 9};
    for (uint32_t i = 0; i < 4; i++)
        cr_assert(text_equal(number(expected[i]), once->items[i]));
    cr_assert_eq(0, texts_once(&arena, NULL)->count);
}
