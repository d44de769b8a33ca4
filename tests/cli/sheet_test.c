// sheet_test.c - columns are aligned with any text in the cells.
#include "tools/cli/sheet.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/owned.h"

static void
assert_printed(struct sheet *sheet, const char *const *cells, size_t count, const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < count; i++)
        sheet_add(sheet, cells[i], strlen(cells[i]));
    sheet_print(sheet, out);
    fclose(out);
    cr_assert_str_eq(text, expected);
    free(text);
    sheet_finish(sheet);
}

#define assert_sheet(columns_, cell_max_, expected, ...)                                           \
    assert_printed(&(struct sheet){.columns = (columns_), .cell_max = (cell_max_)},                \
                   (const char *const[]){__VA_ARGS__},                                             \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), expected)

Test(sheet, columns_are_as_wide_as_their_widest_cell)
{
    assert_sheet(2, 0, "key   name\nlong  a\nb     c\n", "key", "name", "long", "a", "b", "c");
}

Test(sheet, width_is_counted_in_columns_of_the_terminal)
{
    assert_sheet(2, 0, "Mühle  1\n日本   2\nabcde  3\n", "Mühle", "1", "日本", "2", "abcde", "3");
    assert_sheet(2, 0, "e\xcc\x81   1\nab  2\n", "e\xcc\x81", "1", "ab", "2"); // combining acute
}

Test(sheet, empty_cell_is_a_dash)
{
    assert_sheet(2, 0, "-  a\n", "", "a");
}

Test(sheet, cell_cannot_steer_a_terminal)
{
    assert_sheet(1, 0, "a?[31mb\n", "a\x1b[31mb");
}

Test(sheet, wide_cell_is_cut_but_not_the_first)
{
    assert_sheet(2, 4, "abcdef  abc…\nx       abcd\n", "abcdef", "abcdef", "x", "abcd");
    assert_sheet(2, 4, "k  日…\n", "k", "日本語"); // a character of two columns is not halved
}
