// request_text_test.c - a row and its arguments become path and body.
#include "tools/cli/request_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

static const struct verb *
verb(const char *noun, const char *name)
{
    const struct verb *found = verb_find(noun_find(noun), name);
    cr_assert(found);
    return found;
}

static void
assert_path(const struct verb *row, const struct request_values *values, const char *expected)
{
    owned(buffer_finish) struct buffer out = {0};
    request_put_path(&out, row, values);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

// The body that a file with `text` and the members make; `detail` of the refusal where no body is
// expected.
static void
assert_body(const struct verb *row, const char *text, const struct option_texts *members,
            const char *expected, const char *detail)
{
    owned(temporary_finish) struct temporary directory;
    owned(buffer_finish) struct buffer out = {0};
    char path[TEMPORARY_PATH_BYTES], message[TEMPORARY_PATH_BYTES + 128];
    temporary_init(&directory);
    temporary_path(&directory, "body", path);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    const struct request_values values = {.file = text[0] ? path : "", .members = *members};
    enum error error = request_put_body(&out, row, &values);
    cr_assert_eq(error, expected ? OK : ERR_INVALID);
    if (!expected) {
        struct fault fault;
        fault_take(error, &fault);
        snprintf(message, sizeof message, "%s: %s", path, detail);
        cr_assert_str_eq(fault.detail, message);
        return;
    }
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

static const struct option_texts none = {0};
static const struct option_texts named = {1, {"name=n"}};

Test(request_text, operands_stand_encoded_in_the_path)
{
    assert_path(verb("object", "get"),
                &(struct request_values){.operands = {"a/b", "k"}, .device = ""},
                "/v1/scene/a%2Fb/object/k");
    assert_path(verb("object", "lock"), &(struct request_values){.operands = {"s", "o", "d&e"}},
                "/v1/scene/s/object/o/lock?device=d%26e");
}

Test(request_text, device_is_a_parameter_where_the_row_takes_one)
{
    assert_path(verb("object", "delete"),
                &(struct request_values){.operands = {"s", "o"}, .device = "d"},
                "/v1/scene/s/object/o?device=d");
    assert_path(verb("object", "get"),
                &(struct request_values){.operands = {"s", "o"}, .device = "d"},
                "/v1/scene/s/object/o");
}

Test(request_text, convention_is_a_parameter_where_the_row_takes_one)
{
    const struct request_values values = {
        .operands = {"s", "o"}, .device = "d", .convention = "unity", .lenient = true};
    assert_path(verb("object", "update"), &values,
                "/v1/scene/s/object/o?device=d&convention=unity");
    assert_path(verb("object", "delete"), &values, "/v1/scene/s/object/o?device=d");
}

Test(request_text, form_is_a_parameter_where_the_row_takes_one)
{
    const struct request_values values = {.operands = {"s", "o"}, .device = "", .form = "geopose"};
    assert_path(verb("object", "get"), &values, "/v1/scene/s/object/o?form=geopose");
    assert_path(verb("object", "delete"), &values, "/v1/scene/s/object/o");
}

Test(request_text, what_is_sent_is_meant_unless_somebody_is_lenient)
{
    struct request_values values = {.operands = {"s", "o"}, .device = ""};
    assert_path(verb("object", "update"), &values, "/v1/scene/s/object/o?strict=true");
    assert_path(verb("object", "get"), &values, "/v1/scene/s/object/o");
    values.lenient = true;
    assert_path(verb("object", "update"), &values, "/v1/scene/s/object/o");
}

Test(request_text, page_is_what_was_asked_for)
{
    assert_path(verb("scene", "list"), &(struct request_values){0}, "/v1/scene/query");
    assert_path(verb("scene", "list"), &(struct request_values){.limit = 5, .start = 10},
                "/v1/scene/query?num_records=5&start_record=10");
    assert_path(verb("asset", "query"),
                &(struct request_values){.limit = 5, .start = 10, .members = {1, {"name=a"}}},
                "/v1/asset?limit=5&offset=10&name=a");
}

Test(request_text, record_is_wrapped_as_the_row_says)
{
    assert_body(verb("scene", "create"), "", &named, "{\"scenes\":[{\"name\":\"n\"}]}", NULL);
    assert_body(verb("scene", "list"), "", &none, "{\"scenes\":[{}]}", NULL);
    assert_body(verb("project", "create"), "", &named, "{\"name\":\"n\"}", NULL);
    assert_body(verb("scene", "register"), "", &(struct option_texts){1, {"key=d"}},
                "{\"scenes\":[{\"devices\":[{\"key\":\"d\"}]}]}", NULL);
}

Test(request_text, array_in_a_file_is_several_records)
{
    assert_body(verb("object", "create"), "[{\"frame\":1},{\"name\":\"o\"}]", &named,
                "{\"objects\":[{\"frame\":1,\"name\":\"n\"},{\"name\":\"n\"}]}", NULL);
    assert_body(verb("object", "create"), "[]", &none, "{\"objects\":[]}", NULL);
    assert_body(verb("project", "create"), "[{}]", &none, NULL, "must be one record, not an array");
    assert_body(verb("object", "create"), "[1]", &none, NULL, "a record must be a JSON object");
}

Test(request_text, whole_body_in_a_file_is_sent_as_it_is)
{
    static const char body[] = "{ \"objects\": [], \"transaction_id\": \"t\"}";
    assert_body(verb("object", "create"), body, &none, body, NULL);
    assert_body(verb("object", "create"), body, &named, NULL,
                "is a whole body, which takes no other members");
}

Test(request_text, file_must_be_json)
{
    assert_body(verb("object", "create"), "{", &none, NULL, "is not JSON");
}

Test(request_text, path_has_scene_noun_and_key)
{
    owned(buffer_finish) struct buffer out = {0};
    request_scene_path(&out, "a b", "object", "k/1");
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "/v1/scene/a%20b/object/k%2F1");
    request_scene_path(&out, "s", "register", NULL);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "/v1/scene/s/register");
}
