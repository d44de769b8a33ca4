// terminal_text_test.c - what strangers wrote cannot steer a terminal.
#include "tools/cli/terminal_text.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static void
assert_put(const char *chars, const char *expected, size_t width)
{
    owned(buffer_finish) struct buffer out = {0};
    terminal_text_put(&out, chars);
    cr_assert_str_eq(out.data, expected);
    cr_assert_eq(terminal_text_width(out.data), width, "%s", chars);
}

Test(terminal_text, text_stays_and_is_as_wide_as_a_terminal_shows_it)
{
    assert_put("", "", 0);
    assert_put("Mühle", "Mühle", 5);
    assert_put("日本", "日本", 4);
    assert_put("e\xcc\x81", "e\xcc\x81", 1); // combining acute
}

Test(terminal_text, control_characters_become_question_marks)
{
    assert_put("a\x1b[31m", "a?[31m", 6);
    assert_put("a\r\n", "a??", 3);
    assert_put("a\xc2\x9b", "a?", 2); // U+009B, the other way to begin a sequence
}

Test(terminal_text, changes_of_direction_become_question_marks)
{
    assert_put("a\xe2\x80\xae", "a?", 2); // U+202E
    assert_put("a\xe2\x81\xa6", "a?", 2); // U+2066
    assert_put("a\xd8\x9c", "a?", 2);     // U+061C
}

Test(terminal_text, what_is_not_utf8_becomes_question_marks)
{
    assert_put("a\xff\xc3", "a??", 3);
}
