// text_test.c - counted strings, and what is UTF-8.
#include "proto/base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(text, .fini = finish);
TestSuite(utf8, .fini = finish);

Test(text, a_new_text_is_counted_and_ends_with_nul)
{
    const struct text *text = text_new(&arena, "cubes", 4);
    cr_assert_eq(text->size, 4);
    cr_assert_str_eq(text->data, "cube");
}

Test(text, a_format_is_printed_whole)
{
    const struct text *text = text_format(&arena, "%s-%03d", "scene", 7);
    cr_assert_eq(text->size, 9);
    cr_assert_str_eq(text->data, "scene-007");
}

Test(text, null_is_the_empty_text)
{
    cr_assert(text_equal(NULL, text_from(&arena, "")));
    cr_assert(text_is(NULL, ""));
    cr_assert_eq(text_compare(NULL, NULL), 0);
    cr_assert_str_eq(text_chars(NULL), "");
    cr_assert_not(text_equal(NULL, text_from(&arena, "a")));
}

Test(text, nul_inside_counts)
{
    const struct text *a = text_new(&arena, "a\0b", 3), *b = text_new(&arena, "a\0c", 3);
    cr_assert_not(text_equal(a, b));
    cr_assert_not(text_is(a, "a"));
    cr_assert_lt(text_compare(a, b), 0);
}

Test(text, one_with_a_nul_is_never_taken_for_its_beginning)
{
    cr_assert_str_eq(text_chars(text_new(&arena, "root\0x", 6)), "");
    const struct text *text = text_new(&arena, "root\0x", 6);
    cr_assert_eq(memcmp(text_bytes(text), "root\0x", text_size(text)), 0);
}

Test(text, a_prefix_sorts_before_what_it_begins)
{
    cr_assert_lt(text_compare(text_from(&arena, "ab"), text_from(&arena, "abc")), 0);
    cr_assert_gt(text_compare(text_from(&arena, "abc"), text_from(&arena, "ab")), 0);
}

Test(text, order_is_that_of_unsigned_bytes)
{
    cr_assert_lt(text_compare(text_from(&arena, "z"), text_from(&arena, "\xc3\xa9")), 0);
}

static const struct texts *
list(const char *first, const char *second)
{
    struct texts *texts = arena_alloc(&arena, sizeof(*texts) + 2 * sizeof(texts->items[0]));
    texts->count = 2;
    texts->items[0] = text_from(&arena, first);
    texts->items[1] = text_from(&arena, second);
    return texts;
}

Test(text, a_list_contains_its_items_only)
{
    const struct texts *texts = list("a", "bc");
    cr_assert(texts_contain(texts, text_from(&arena, "bc")));
    cr_assert_not(texts_contain(texts, text_from(&arena, "b")));
    cr_assert_not(texts_contain(NULL, text_from(&arena, "a")));
}

Test(text, lists_are_equal_item_by_item_in_order)
{
    cr_assert(texts_equal(list("a", "b"), list("a", "b")));
    cr_assert_not(texts_equal(list("a", "b"), list("b", "a")));
    cr_assert_not(texts_equal(list("a", "b"), NULL));
    cr_assert(texts_equal(NULL, NULL));
}

static const struct sequence {
    char bytes[8];
    size_t left;
    size_t size; // 0 = not UTF-8
} sequences[] = {
    // clang-format off
    {"", 0, 0},             {"a", 1, 1},            {"\x7f", 1, 1},         {"\x80", 1, 0},
    {"\xc0\xaf", 2, 0},     {"\xc1\xbf", 2, 0},     {"\xc2\x80", 2, 2},     {"\xdf\xbf", 2, 2},
    {"\xc3", 1, 0},         {"\xc3(", 2, 0},        {"\xe0\x9f\xbf", 3, 0}, {"\xe0\xa0\x80", 3, 3},
    {"\xed\x9f\xbf", 3, 3}, {"\xed\xa0\x80", 3, 0}, {"\xee\x80\x80", 3, 3}, {"\xef\xbf\xbf", 3, 3},
    {"\xe2\x82", 2, 0},     {"\xe2\x82(", 3, 0},    {"\xf0\x8f\xbf\xbf", 4, 0},
    {"\xf0\x90\x80\x80", 4, 4}, {"\xf4\x8f\xbf\xbf", 4, 4}, {"\xf4\x90\x80\x80", 4, 0},
    {"\xf5\x80\x80\x80", 4, 0}, {"\xff", 1, 0},
    // clang-format on
};

Test(utf8, sequences_are_those_of_rfc_3629)
{
    for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
        cr_expect_eq(utf8_sequence(sequences[i].bytes, sequences[i].left), sequences[i].size,
                     "row %zu", i);
}

Test(utf8, one_bad_byte_makes_a_string_invalid)
{
    cr_assert(utf8_is_valid("caf\xc3\xa9 \xf0\x9f\x98\x80", 10));
    cr_assert_not(utf8_is_valid("caf\xc3", 4));
    cr_assert(utf8_is_valid("", 0));
}

Test(utf8, controls_are_c0_del_and_c1)
{
    cr_assert(utf8_is_control("\x1f", 1));
    cr_assert(utf8_is_control("\x7f", 1));
    cr_assert(utf8_is_control("\xc2\x9f", 2));
    cr_assert_not(utf8_is_control("\xc2\xa0", 2));
    cr_assert_not(utf8_is_control(" ", 1));
}

Test(utf8, cleaning_replaces_bad_bytes_alone)
{
    char chars[] = "a\xff\xc3\xa9\xe2\x82";
    utf8_clean(chars);
    cr_assert_str_eq(chars, "a?\xc3\xa9??");
}

Test(text, number_is_all_of_its_text)
{
    static const char *const odd[] = {"", " 1", "1 ", "1x", "0x1", "inf", "nan", "1e999", "-"};
    struct arena numbers = {0};
    double number = 7;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        cr_expect_not(text_number(text_from(&numbers, odd[i]), &number), "%s", odd[i]);
    cr_expect_not(text_number(text_new(&numbers, "1\0", 2), &number));
    cr_expect_eq(number, 7);
    cr_expect(text_number(text_from(&numbers, "-1.5e2"), &number));
    cr_expect_eq(number, -150);
    arena_finish(&numbers);
}

Test(text, a_copy_has_all_bytes_and_outlives_the_text)
{
    struct arena other = {0};
    const struct text *text = text_new(&other, "a\0b", 3), *copy = text_copy(&arena, text);
    struct text *kept = text_duplicate(text), *nothing = text_duplicate(NULL);
    cr_assert(text_equal(copy, text) && text_equal(kept, text) && text_size(nothing) == 0);
    arena_finish(&other);
    cr_assert_eq(memcmp(copy->data, "a\0b", 4), 0);
    cr_assert_eq(memcmp(kept->data, "a\0b", 4), 0);
    cr_assert_eq(text_size(text_copy(&arena, NULL)), 0);
    free(kept);
    free(nothing);
}
