// openapi_examples_test.c - what is found in the examples of operations.
#include "gateway/docs/openapi_examples.h"

#include <criterion/criterion.h>

static struct buffer out;

static void
finish(void)
{
    buffer_finish(&out);
}

TestSuite(openapi_examples, .fini = finish);

static void
assert_found(const char *expected, const char *id, const char *part)
{
    struct openapi_example found = openapi_examples_find(id, part);
    cr_assert_eq(found.size, strlen(expected), "%.*s", (int)found.size, found.json);
    cr_assert_eq(memcmp(found.json, expected, found.size), 0, "%.*s", (int)found.size, found.json);
}

Test(openapi_examples, part_of_an_operation_is_found)
{
    assert_found("\"/v1/scene/plaza\"", "sceneDelete", "target");
    assert_found("\"plaza\"", "sceneDelete", "path.scene");
}

Test(openapi_examples, part_at_the_end_of_the_file_ends_with_its_line)
{
    assert_found("\"/docs/style.css\"", "getDocsStyleCss", "target");
}

Test(openapi_examples, beginning_of_a_name_is_no_name)
{
    cr_assert_eq(openapi_examples_find("scene", "target").size, 0);
    cr_assert_eq(openapi_examples_find("Delete", "target").size, 0);
    cr_assert_eq(openapi_examples_find("sceneDelete", "path").size, 0);
}

Test(openapi_examples, member_is_written_where_there_is_one)
{
    buffer_put_char(&out, '{');
    openapi_examples_put("sceneDelete", "request", &out);
    openapi_examples_put("sceneDelete", "path.scene", &out);
    cr_assert_eq(out.size, strlen("{\"example\":\"plaza\""));
    cr_assert_eq(memcmp(out.data, "{\"example\":\"plaza\"", out.size), 0);
}
