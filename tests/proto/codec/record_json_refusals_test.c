// record_json_refusals_test.c - what is no record is refused with its place.
#include <criterion/criterion.h>
#include <string.h>

#include "proto/codec/record_json.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "tests/support/json_records.h"

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(refusing, .fini = finish);

Test(refusing, a_record_is_an_object)
{
    json_refused(&arena, &sample_schema, "[1]", ERR_MALFORMED, "/s/0", "must be an object");
    json_refused(&arena, &sample_schema, "null", ERR_MALFORMED, "/s/0", "must be an object");
}

Test(refusing, a_wrong_type_is_malformed_and_named)
{
    static const struct {
        const char *chars, *pointer, *detail;
    } rows[] = {
        // clang-format off
        {"{\"key\":1}",                   "/s/0/key",              "must be a string"},
        {"{\"name\":{}}",                 "/s/0/name",             "must be a string"},
        {"{\"name\":[1]}",                "/s/0/name",             "must be a string"},
        {"{\"title\":false}",             "/s/0/title",            "must be a string"},
        {"{\"open\":1}",                  "/s/0/open",             "must be true or false"},
        {"{\"open\":\"true\"}",           "/s/0/open",             "must be true or false"},
        {"{\"count\":\"3\"}",             "/s/0/count",            "must be an integer"},
        {"{\"count\":3.5}",               "/s/0/count",            "must be an integer"},
        {"{\"count\":true}",              "/s/0/count",            "must be an integer"},
        {"{\"ratio\":\"0.5\"}",           "/s/0/ratio",            "must be a number"},
        {"{\"ratio\":[0.5]}",             "/s/0/ratio",            "must be a number"},
        {"{\"corner\":1}",                "/s/0/corner",           "must be an array of numbers"},
        {"{\"corner\":{}}",               "/s/0/corner",           "must be an array of numbers"},
        {"{\"corner\":[1,\"2\"]}",        "/s/0/corner/1",         "must be a number"},
        {"{\"corner\":[1,2,null]}",       "/s/0/corner/2",         "must be a number"},
        {"{\"words\":\"a\"}",             "/s/0/words",            "must be an array of strings"},
        {"{\"words\":[\"a\",7]}",         "/s/0/words/1",          "must be a string"},
        {"{\"nested\":5}",                "/s/0/nested",           "must be an object"},
        {"{\"nested\":{\"value\":{}}}",   "/s/0/nested/value",     "must be a number"},
        {"{\"values\":{}}",               "/s/0/values",           "must be an array of objects"},
        {"{\"values\":[1,\"2\"]}",        "/s/0/values/1",         "must be a number or an object"},
        {"{\"values\":[{\"value\":\"\"}]}", "/s/0/values/0/value", "must be a number"},
        {"{\"id\":true}",                 "/s/0/id",               "must be a string"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        json_refused(&arena, &sample_schema, rows[i].chars, ERR_MALFORMED, rows[i].pointer,
                     rows[i].detail);
}

Test(refusing, a_wrong_value_is_invalid_and_named)
{
    static const struct {
        const char *chars, *pointer, *detail;
    } rows[] = {
        // clang-format off
        {"{\"corner\":[1]}",              "/s/0/corner",         "must have 2 numbers"},
        {"{\"corner\":[1,2,3]}",          "/s/0/corner",         "must have 2 numbers"},
        {"{\"count\":10}",                "/s/0/count",          "must be from 1 to 9"},
        {"{\"stamp\":1e300}",             "/s/0/stamp",          "must fit 64 bits"},
        {"{\"stamp\":9223372036854775808}", "/s/0/stamp",        "must fit 64 bits"},
        {"{\"ratio\":1.5}",               "/s/0/ratio",          "must be from -1 to 1"},
        {"{\"name\":\"123456789\"}",      "/s/0/name",           "must have at most 8 bytes"},
        {"{\"words\":[\"\",\"\",\"\",\"\"]}", "/s/0/words",      "must have at most 3 items"},
        {"{\"values\":[1,2,3,4,5]}",      "/s/0/values",         "must have at most 4 items"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        json_refused(&arena, &sample_schema, rows[i].chars, ERR_INVALID, rows[i].pointer,
                     rows[i].detail);
    json_refused(&arena, &object_edit_schema, "{\"transform\":[1,2,3]}", ERR_INVALID,
                 "/s/0/transform", "must have 16 numbers");
}

Test(refusing, a_bad_key_is_invalid)
{
    struct record *record;
    cr_assert_eq(record_from_json(&arena, &scene_schema, json_parsed(&arena, "{\"key\":\"a/b\"}"),
                                  "/scenes/0", &record),
                 ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/scenes/0/key");
}

Test(refusing, an_error_deep_in_a_scene_is_named_by_its_place)
{
    json_refused(&arena, &scene_schema,
                 "{\"devices\":[{},{\"transform\":{\"translation\":[1,2,\"x\"]}}]}", ERR_MALFORMED,
                 "/s/0/devices/1/transform/translation/2", "must be a number");
    json_refused(&arena, &scene_schema, "{\"latitude\":\"north\"}", ERR_MALFORMED, "/s/0/latitude",
                 "must be a number");
}

Test(refusing, plain_numbers_are_no_records_where_the_row_does_not_say_so)
{
    json_refused(&arena, &object_edit_schema, "{\"scale_handle\":[1]}", ERR_MALFORMED,
                 "/s/0/scale_handle/0", "must be an object");
}

// Trees that come from msgpack may say it: {"extras": {"a": 1, "a": 2}}.
Test(refusing, extras_that_no_json_text_can_say_are_malformed)
{
    static const char packed[] = "\x81\xa6"
                                 "extras\x82\xa1"
                                 "a\x01\xa1"
                                 "a\x02";
    const struct json *tree;
    struct record *record;
    cr_assert_eq(msgpack_to_json(&arena, packed, sizeof packed - 1, &tree), OK);
    cr_expect_eq(record_from_json(&arena, &object_edit_schema, tree, "", &record), ERR_MALFORMED);
    cr_expect_str_eq(fault_last()->pointer, "/extras");
}

Test(refusing, json_that_is_too_deep_or_too_large_is_invalid)
{
    struct buffer large = {0};
    json_refused(&arena, &object_edit_schema, "{\"extras\":{\"a\":[[[[[[[[]]]]]]]]}}", ERR_INVALID,
                 "/s/0/extras", "must have at most 8 levels of arrays and objects");
    buffer_put_format(&large, "{\"extras\":\"%04095d\"}", 0);
    buffer_put_char(&large, '\0');
    json_refused(&arena, &object_edit_schema, large.data, ERR_INVALID, "/s/0/extras",
                 "must have at most 4096 bytes as compact JSON");
    buffer_finish(&large);
}

Test(refusing, tags_that_are_no_texts_are_malformed)
{
    json_refused(&arena, &object_edit_schema, "{\"tags\":\"red\"}", ERR_MALFORMED, "/s/0/tags",
                 "must be an array of strings");
    json_refused(&arena, &object_edit_schema, "{\"tags\":[\"red\",1]}", ERR_MALFORMED,
                 "/s/0/tags/1", "must be a string");
    json_refused(&arena, &object_edit_schema, "{\"visible\":1}", ERR_MALFORMED, "/s/0/visible",
                 "must be true or false");
}
