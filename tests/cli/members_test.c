// members_test.c - NAME=VALUE arguments in records and in URLs.
#include "tools/cli/members.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"

static void
assert_value(const char *member, const char *expected)
{
    owned(buffer_finish) struct buffer out = {0};
    const struct option_texts members = {1, {member}};
    cr_assert_eq(members_check(&members), OK);
    members_put_record(&out, NULL, &members, NULL);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

static void
assert_refused(const struct option_texts *members, const char *detail)
{
    struct fault fault;
    enum error error = members_check(members);
    cr_assert_eq(error, ERR_INVALID);
    fault_take(error, &fault);
    cr_assert_str_eq(fault.detail, detail);
}

Test(members, value_that_reads_as_json_is_json)
{
    assert_value("a=7", "{\"a\":7}");
    assert_value("a=-0.5", "{\"a\":-0.5}");
    assert_value("a=true", "{\"a\":true}");
    assert_value("a=null", "{\"a\":null}");
    assert_value("a=[1, 2]", "{\"a\":[1,2]}");
    assert_value("a={\"b\": []}", "{\"a\":{\"b\":[]}}");
    assert_value("a=\"7\"", "{\"a\":\"7\"}");
}

Test(members, any_other_value_is_text)
{
    assert_value("a=cube", "{\"a\":\"cube\"}");
    assert_value("a=", "{\"a\":\"\"}");
    assert_value("a=[1,", "{\"a\":\"[1,\"}");
    assert_value("a=01", "{\"a\":\"01\"}");
    assert_value("a=b=c", "{\"a\":\"b=c\"}");
    assert_value("a=say \"hi\"", "{\"a\":\"say \\\"hi\\\"\"}");
}

Test(members, member_needs_a_name_and_an_equals_sign)
{
    assert_refused(&(struct option_texts){1, {"cube"}}, "cube: must be NAME=VALUE");
    assert_refused(&(struct option_texts){1, {"=1"}}, "=1: must be NAME=VALUE");
}

Test(members, name_stands_once)
{
    assert_refused(&(struct option_texts){3, {"ab=1", "a=1", "ab=2"}}, "ab: given twice");
}

Test(members, members_overwrite_the_record_that_they_stand_beside)
{
    static const char text[] = "{\"name\":\"cube\",\"frame\":1,\"password\":\"old\"}";
    owned(arena_finish) struct arena arena = {0};
    owned(buffer_finish) struct buffer out = {0};
    const struct json *base;
    const struct option_texts members = {2, {"frame=2", "type=Mesh"}};
    cr_assert_eq(json_parse(&arena, text, strlen(text), &base), OK);
    members_put_record(&out, base, &members, "s\"cret");
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "{\"name\":\"cube\",\"frame\":2,\"type\":\"Mesh\","
                               "\"password\":\"s\\\"cret\"}");
}

Test(members, parameters_follow_those_of_the_path_and_are_text)
{
    owned(buffer_finish) struct buffer out = {0};
    const struct option_texts members = {2, {"name=a&b", "file-type=7"}};
    buffer_put_chars(&out, "/v1/asset");
    members_put_query(&out, &members);
    members_put_parameter(&out, "limit", strlen("limit"), "3");
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "/v1/asset?name=a%26b&file-type=7&limit=3");
}

Test(members, member_is_found_by_its_whole_name)
{
    const struct option_texts members = {1, {"password=x"}};
    cr_assert(members_have(&members, "password"));
    cr_assert_not(members_have(&members, "pass"));
}
