// json_tree_test.c - how deep a tree of JSON is, whether a text can say it, and how it is
// written.
#include "proto/codec/json_tree.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct arena arena;
static struct buffer out;

static void
end(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(json_tree, .fini = end);

static const struct json *
tree(const char *chars)
{
    const struct json *value;
    cr_assert_eq(json_parse(&arena, chars, strlen(chars), &value), OK, "%s", chars);
    return value;
}

static void
expect_written(const char *chars, const char *expected)
{
    buffer_clear(&out);
    cr_assert(json_tree_put(&out, tree(chars), 1000));
    buffer_put_char(&out, '\0');
    cr_expect_str_eq(out.data, expected);
}

Test(json_tree, levels_are_counted_along_the_deepest_branch)
{
    cr_expect_not(json_tree_is_deeper(tree("7"), 0));
    cr_expect(json_tree_is_deeper(tree("[]"), 0));
    cr_expect_not(json_tree_is_deeper(tree("[1,2]"), 1));
    cr_expect(json_tree_is_deeper(tree("[1,{}]"), 1));
    cr_expect_not(json_tree_is_deeper(tree("{\"a\":1,\"b\":[{}],\"c\":2}"), 3));
    cr_expect(json_tree_is_deeper(tree("{\"a\":1,\"b\":[{}],\"c\":2}"), 2));
}

Test(json_tree, an_integer_that_only_a_double_holds_is_seen)
{
    cr_expect(json_tree_is_rounded(tree("9223372036854775808")));
    cr_expect(json_tree_is_rounded(tree("{\"a\":[1,{\"b\":18446744073709551615}]}")));
    cr_expect_not(json_tree_is_rounded(tree("[9223372036854775807,-9223372036854775808]")));
    cr_expect_not(json_tree_is_rounded(tree("[1e19,0.5,\"18446744073709551615\",[],{},null]")));
}

Test(json_tree, a_value_of_every_type_is_written_compactly)
{
    expect_written(" { \"b\" : [ 1 , 1.0 , -2.5e3 , true , null ] , \"a\\n\" : \"\\u00e9\\\"\" } ",
                   "{\"b\":[1,1.0,-2500.0,true,null],\"a\\n\":\"é\\\"\"}");
    expect_written("[]", "[]");
    expect_written("{}", "{}");
    expect_written("\"x\"", "\"x\"");
}

Test(json_tree, what_is_written_is_appended)
{
    buffer_put_char(&out, ':');
    cr_assert(json_tree_put(&out, tree("[1]"), 3));
    cr_expect_eq(out.size, 4);
    cr_expect_eq(memcmp(out.data, ":[1]", 4), 0);
}

// 10 to the 14 takes 4 bytes and is written with 17: what is too large is not written whole first.
Test(json_tree, writing_ends_at_the_limit)
{
    struct buffer numbers = {0};
    buffer_put_char(&numbers, '[');
    for (int i = 0; i < 10000; i++)
        buffer_put_chars(&numbers, "1e14,");
    buffer_put_chars(&numbers, "1]");
    buffer_put_char(&numbers, '\0');
    cr_expect_not(json_tree_put(&out, tree(numbers.data), 100));
    cr_expect_lt(out.size, 200);
    buffer_finish(&numbers);
    buffer_clear(&out);
    cr_expect_not(json_tree_put(&out, tree("[1]"), 2));
}

static struct json
text_value(const char *chars)
{
    return (struct json){.type = JSON_TEXT, .text = text_from(&arena, chars)};
}

// [{NAME: 1, "b": VALUE}]
static bool
is_json(const char *name, struct json value)
{
    const struct json_member members[] = {
        {text_from(&arena, name), {.type = JSON_INTEGER, .integer = 1}},
        {text_from(&arena, "b"), value},
    };
    const struct json object = {.type = JSON_OBJECT, .count = 2, .members = members};
    const struct json array = {.type = JSON_ARRAY, .count = 1, .items = &object};
    return json_tree_is_json(&arena, &array);
}

Test(json_tree, what_a_text_cannot_say_is_not_json)
{
    cr_expect(is_json("a", text_value("\xc3\xa9")));
    cr_expect(is_json("\xc3\xa9", (struct json){.type = JSON_NUMBER, .number = 1e300}));
    cr_expect_not(is_json("a", text_value("\xc3")));
    cr_expect_not(is_json("\xff", (struct json){.type = JSON_NULL}));
    cr_expect_not(is_json("b", (struct json){.type = JSON_NULL}));
    cr_expect_not(is_json("a", (struct json){.type = JSON_NUMBER, .number = INFINITY}));
    cr_expect_not(is_json("a", (struct json){.type = JSON_NUMBER, .number = NAN}));
}
