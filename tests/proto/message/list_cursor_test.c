// list_cursor_test.c - cursors come back as they were, and nothing else is taken for one.
#include "proto/message/list_cursor.h"

#include <criterion/criterion.h>

static struct arena arena;
static const struct list_print print = {"which list"}, other = {"another"};

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(list_cursor, .fini = finish);

static const struct text *
cursor_of(int64_t total)
{
    struct list_place place = {.size = 3, .value = {'a', 0, 'b'}, .key = text_from(&arena, "key")};
    return list_cursor_write(&arena, &print, &place, total);
}

static enum error
read(const struct list_print *of, const struct text *cursor)
{
    struct list_place place;
    int64_t total;
    return list_cursor_read(&arena, of, cursor, &place, &total);
}

Test(list_cursor, comes_back_as_it_was)
{
    struct list_place place;
    int64_t total;
    cr_assert_eq(list_cursor_read(&arena, &print, cursor_of(9999), &place, &total), OK);
    cr_assert_eq(9999, total);
    cr_assert_eq(3, place.size);
    cr_assert_eq(0, memcmp("a\0b", place.value, 3));
    cr_assert(text_is(place.key, "key"));
    cr_assert_eq(list_cursor_read(&arena, &print, cursor_of(-1), &place, &total), OK);
    cr_assert_eq(-1, total);
}

Test(list_cursor, of_another_list_is_refused)
{
    struct fault fault;
    cr_assert_eq(read(&other, cursor_of(1)), ERR_INVALID);
    fault_take(ERR_INVALID, &fault);
    cr_assert_str_eq("/after", fault.pointer);
}

Test(list_cursor, with_any_other_byte_is_refused)
{
    const struct text *cursor = cursor_of(1);
    char chars[256];
    for (size_t i = 0; i < text_size(cursor); i++) {
        memcpy(chars, text_bytes(cursor), text_size(cursor));
        chars[i] = chars[i] == 'A' ? 'B' : 'A';
        cr_assert_eq(read(&print, text_new(&arena, chars, text_size(cursor))), ERR_INVALID, "%zu",
                     i);
    }
}

Test(list_cursor, that_was_cut_is_refused)
{
    const struct text *cursor = cursor_of(1);
    for (size_t size = 0; size < text_size(cursor); size++)
        cr_assert_eq(read(&print, text_new(&arena, text_bytes(cursor), size)), ERR_INVALID);
}
