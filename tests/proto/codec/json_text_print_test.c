// json_text_print_test.c - texts as JSON text.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/codec/json_text.h"
#include "tests/support/samples.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(print, .fini = finish);

Test(print, texts_escape_quotes_backslashes_and_control_characters)
{
    static const char chars[] = "a\"b\\c\b\f\n\r\t\x01\x1f\x7f\0é漢😀/";
    json_put_text(&out, chars, sizeof chars - 1);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\u0000é漢😀/\"");
}

Test(print, an_escape_is_found_wherever_it_stands)
{
    for (size_t size = 0; size < 40; size++)
        for (size_t at = 0; at < size; at++) {
            char chars[40], expected[48];
            memset(chars, 0xc3, sizeof chars);
            chars[at] = '\n';
            buffer_clear(&out);
            json_put_text(&out, chars, size);
            snprintf(expected, sizeof expected, "\"%.*s\\n%.*s\"", (int)at, chars,
                     (int)(size - at - 1), chars + at + 1);
            cr_assert_eq(out.size, size + 3);
            cr_assert_eq(memcmp(out.data, expected, out.size), 0, "%zu of %zu", at, size);
        }
}

Test(print, a_printed_text_is_read_as_it_was)
{
    struct random random = {9};
    for (unsigned i = 0; i < 5000; i++) {
        const struct text *text = random_text(&random, &arena, 60);
        const struct json *value;
        buffer_clear(&out);
        json_put_text(&out, text->data, text->size);
        cr_assert_eq(json_parse(&arena, out.data, out.size, &value), OK);
        cr_assert(text_equal(value->text, text));
    }
}
