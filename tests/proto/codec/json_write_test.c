// json_write_test.c - documents member by member: commas, names, numbers.
#include "proto/codec/json_write.h"

#include <criterion/criterion.h>
#include <string.h>

static struct buffer out;

static void
end(void)
{
    buffer_finish(&out);
}

TestSuite(json_write, .fini = end);

static void
assert_written(const char *expected)
{
    cr_assert_eq(out.size, strlen(expected), "%.*s", (int)out.size, out.data);
    cr_assert_arr_eq(out.data, expected, out.size);
}

Test(json_write, commas_stand_between_members_and_items_only)
{
    json_write_begin(&out, NULL, '{');
    json_write_begin(&out, "list", '[');
    json_write_number(&out, NULL, 1);
    json_write_number(&out, NULL, 2);
    json_write_end(&out, ']');
    json_write_begin(&out, "empty", '{');
    json_write_end(&out, '}');
    json_write_bool(&out, "yes", true);
    json_write_bool(&out, "no", false);
    json_write_end(&out, '}');
    assert_written("{\"list\":[1,2],\"empty\":{},\"yes\":true,\"no\":false}");
}

Test(json_write, texts_and_names_are_escaped)
{
    json_write_begin(&out, NULL, '{');
    json_write_text(&out, "a\"b", "c\\d\n");
    json_write_end(&out, '}');
    assert_written("{\"a\\\"b\":\"c\\\\d\\n\"}");
}

Test(json_write, a_text_that_ends_like_a_bracket_is_followed_by_a_comma)
{
    json_write_begin(&out, NULL, '[');
    json_write_text(&out, NULL, "{");
    json_write_text(&out, NULL, ":");
    json_write_end(&out, ']');
    assert_written("[\"{\",\":\"]");
}

Test(json_write, whole_numbers_have_no_decimals)
{
    json_write_begin(&out, NULL, '[');
    json_write_number(&out, NULL, -3);
    json_write_number(&out, NULL, 9007199254740992.0);
    json_write_number(&out, NULL, 0.5);
    json_write_end(&out, ']');
    assert_written("[-3,9007199254740992,0.5]");
}

Test(json_write, a_text_is_put_together_from_parts)
{
    json_write_begin(&out, NULL, '{');
    json_write_text_begin(&out, "id");
    buffer_put_chars(&out, "get");
    buffer_put_chars(&out, "-scene");
    json_write_text_end(&out);
    json_write_bool(&out, "more", true);
    json_write_end(&out, '}');
    assert_written("{\"id\":\"get-scene\",\"more\":true}");
}
