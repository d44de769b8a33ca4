// record_openapi_test.c - field tables as JSON Schema, in requests and in answers.
#include "proto/codec/record_openapi.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/codec/json_write.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "proto/records/user.h"

static struct buffer out;

static void
finish(void)
{
    buffer_finish(&out);
}

TestSuite(record_openapi, .fini = finish);

static void
expect(const char *text)
{
    cr_assert_eq(out.size, strlen(text), "%.*s", (int)out.size, out.data);
    cr_assert_arr_eq(out.data, text, out.size);
}

Test(record_openapi, the_name_says_whether_it_is_a_request_and_which_view)
{
    openapi_put_name(&scene_schema, NULL, &out);
    expect("SceneRequest");
    buffer_clear(&out);
    openapi_put_name(&scene_schema, &scene_view_key, &out);
    expect("SceneKey");
}

Test(record_openapi, a_reference_names_the_component)
{
    json_write_begin(&out, NULL, '{');
    openapi_put_reference(&scene_schema, NULL, "schema", &out);
    json_write_end(&out, '}');
    expect("{\"schema\":{\"$ref\":\"#/components/schemas/SceneRequest\"}}");
}

Test(record_openapi, a_secret_is_in_requests_and_never_in_answers)
{
    const struct field *password = schema_field(&user_schema, USER_PASSWORD);
    cr_expect(openapi_has(NULL, password));
    cr_expect_not(openapi_has(&user_view_full, password));
}

Test(record_openapi, a_hidden_member_is_in_neither)
{
    const struct field *hash = schema_field(&user_schema, USER_HASH);
    cr_expect_not(openapi_has(NULL, hash));
    cr_expect_not(openapi_has(&user_view_full, hash));
}

Test(record_openapi, a_view_has_its_own_fields_alone)
{
    cr_expect(openapi_has(&scene_view_key, schema_field(&scene_schema, SCENE_KEY)));
    cr_expect_not(openapi_has(&scene_view_key, schema_field(&scene_schema, SCENE_NAME)));
}

Test(record_openapi, what_an_absent_member_means_is_its_default)
{
    struct openapi_form form = {&object_view_full, false, false};
    openapi_put_field(schema_field(&object_schema, OBJECT_VISIBLE), &form, NULL, &out);
    expect("{\"type\":\"boolean\",\"description\":\"Whether it is to be shown.\","
           "\"default\":true}");
}

Test(record_openapi, json_has_any_type)
{
    struct openapi_form form = {NULL, true, true};
    openapi_put_field(schema_field(&object_schema, OBJECT_EXTRAS), &form, NULL, &out);
    cr_assert_eq(memcmp(out.data, "{\"description\":", 15), 0);
}

Test(record_openapi, what_every_answer_of_a_view_has_is_required_of_it)
{
    openapi_put_record(&scene_schema, &scene_view_key, &out);
    buffer_put_char(&out, '\0');
    cr_assert_not_null(strstr(out.data, "\"required\":[\"key\"]"));
    buffer_clear(&out);
    openapi_put_record(&object_schema, &object_view_created, &out);
    buffer_put_char(&out, '\0');
    cr_assert_not_null(strstr(out.data, "\"required\":[\"key\",\"transform\"]"));
}
