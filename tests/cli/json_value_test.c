// json_value_test.c - short ways into JSON trees, and back to text.
#include "tools/cli/json_value.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"

static struct arena arena; // goes with the test's process, but leaks are errors

static void
end(void)
{
    arena_finish(&arena);
}

static const struct json *
parse(const char *text)
{
    const struct json *value;
    cr_assert_eq(json_parse(&arena, text, strlen(text), &value), OK);
    return value;
}

TestSuite(json_value, .fini = end);

Test(json_value, tree_is_printed_as_it_was_read)
{
    static const char text[] =
        "{\"a\":[1,-2.5,\"x\\\"y\",null,true,false,[],{}],\"b\":{\"c\":\"\",\"d\":1.0}}";
    owned(buffer_finish) struct buffer out = {0};
    json_value_put(&out, parse(text));
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, text);
}

Test(json_value, member_of_another_type_counts_as_missing)
{
    const struct json *object = parse("{\"text\":\"t\",\"number\":7,\"negative\":-1,\"half\":0.5}");
    cr_assert_str_eq(json_value_chars(object, "text", "-"), "t");
    cr_assert_str_eq(json_value_chars(object, "number", "-"), "-");
    cr_assert_str_eq(json_value_chars(object, "absent", "-"), "-");
    cr_assert_eq(json_value_unsigned(object, "number", 9), 7);
    cr_assert_eq(json_value_unsigned(object, "text", 9), 9);
    cr_assert_eq(json_value_unsigned(object, "negative", 9), 9);
    cr_assert_eq(json_value_unsigned(object, "half", 9), 9);
}

Test(json_value, members_of_nothing_are_missing)
{
    cr_assert_str_eq(json_value_chars(NULL, "text", "-"), "-");
    cr_assert_str_eq(json_value_chars(parse("[1]"), "text", "-"), "-");
    cr_assert_eq(json_value_item(NULL, "list", 0), NULL);
}

Test(json_value, items_are_found_by_index)
{
    const struct json *object = parse("{\"list\":[\"a\",{\"key\":\"k\"}]}");
    cr_assert_str_eq(json_value_chars(json_value_item(object, "list", 1), "key", "-"), "k");
    cr_assert_eq(json_value_item(object, "list", 2), NULL);
}

Test(json_value, numbers_are_all_there_or_none_is_read)
{
    double numbers[2] = {8, 9};
    const struct json *object =
        parse("{\"good\":[1,2.5],\"short\":[1],\"long\":[1,2,3],\"odd\":[1,\"2\"]}");
    cr_assert_not(json_value_numbers(object, "short", 2, numbers));
    cr_assert_not(json_value_numbers(object, "long", 2, numbers));
    cr_assert_not(json_value_numbers(object, "odd", 2, numbers));
    cr_assert_eq(numbers[0], 8);
    cr_assert(json_value_numbers(object, "good", 2, numbers));
    cr_assert_eq(numbers[0], 1);
    cr_assert_eq(numbers[1], 2.5);
}
