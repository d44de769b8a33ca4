// schemas_test.c - the schemas that are written from the short notation.
#include "gateway/foxglove/schemas.h"

#include <criterion/criterion.h>

#include "proto/codec/json_text.h"

static const struct json *
schema_of(struct arena *arena, enum message_kind kind)
{
    struct buffer out = {0};
    const struct json *schema;
    schema_put(kind, &out);
    cr_assert_eq(json_parse(arena, out.data, out.size, &schema), OK);
    buffer_finish(&out);
    return schema;
}

Test(schemas, a_property_has_its_key_and_its_values)
{
    struct buffer out = {0};
    schema_put(MESSAGE_PROPERTY, &out);
    static const char expected[] =
        "{\"type\":\"object\",\"properties\":{"
        "\"timestamp\":{\"type\":\"object\",\"properties\":{\"sec\":{\"type\":\"integer\","
        "\"minimum\":0},"
        "\"nsec\":{\"type\":\"integer\",\"minimum\":0}}},"
        "\"key\":{\"type\":\"string\"},\"value\":{\"type\":\"number\"},"
        "\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}}}}";
    cr_assert_eq(out.size, sizeof expected - 1, "%.*s", (int)out.size, out.data);
    cr_assert_arr_eq(out.data, expected, sizeof expected - 1);
    buffer_finish(&out);
}

Test(schemas, all_of_them_are_json_and_have_names)
{
    struct arena arena = {0};
    for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++) {
        const struct json *schema = schema_of(&arena, kind);
        cr_assert_eq(json_find(schema, "properties")->type, JSON_OBJECT);
        cr_assert_not_null(strchr(schema_name(kind), '.'));
    }
    arena_finish(&arena);
}

Test(schemas, the_members_of_entities_are_lists_of_objects)
{
    struct arena arena = {0};
    const struct json *entity = json_find(
        json_find(json_find(json_find(schema_of(&arena, MESSAGE_SCENE), "properties"), "entities"),
                  "items"),
        "properties");
    const struct json *model =
        json_find(json_find(json_find(entity, "models"), "items"), "properties");
    cr_assert(text_is(json_find(json_find(model, "url"), "type")->text, "string"));
    cr_assert_not_null(json_find(json_find(json_find(model, "pose"), "properties"), "orientation"));
    arena_finish(&arena);
}
