// record_msgpack_published_test.c - published records say what their JSON says.
#include <criterion/criterion.h>

#include "proto/codec/json_text.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"
#include "tests/support/hex.h"
#include "tests/support/json_records.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(published, .fini = finish);

#define ONE "cb3ff0000000000000"

// {"extras": {"a": [1, 1.0, nil]}, "visible": false}; the store has it as text.
Test(published, json_is_the_value_that_it_says)
{
    static const struct view view = {.fields =
                                         FIELD_BIT(OBJECT_EXTRAS) | FIELD_BIT(OBJECT_VISIBLE)};
    struct record *record =
        json_record(&arena, &object_schema, "{\"extras\":{\"a\":[1,1.0,null]},\"visible\":false}");
    record_to_published(record, &view, &out);
    hex_expect(&out, "82"
                     "a6657874726173"
                     "81a1619301" ONE "c0"
                     "a776697369626c65c2");
    buffer_clear(&out);
    record_to_stored(record, &out);
    hex_expect(&out, "82"
                     "13b2"
                     "7b2261223a5b312c312e302c6e756c6c5d7d"
                     "14c2");
}

Test(published, a_map_has_names_and_aliases)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_COUNT) |
                                               FIELD_BIT(SAMPLE_STAMP),
                                     .aliases = true};
    record_to_published(json_record(&arena, &sample_schema, "{\"name\":\"n\",\"count\":2}"), &view,
                        &out);
    hex_expect(&out, "83"
                     "a46e616d65"
                     "a16e"
                     "a57469746c65"
                     "a16e"
                     "a5636f756e74"
                     "02");
}

// The JSON text is read as a tree, the published map too: the same names, order and values.
static void
same_as_json(const struct record *record, const struct view *view)
{
    struct buffer json = {0};
    const struct json *ours, *published;
    buffer_clear(&out);
    record_to_published(record, view, &out);
    cr_assert_eq(msgpack_to_json(&arena, out.data, out.size, &published), OK);
    record_to_json(record, view, &json);
    cr_assert_eq(json_parse(&arena, json.data, json.size, &ours), OK);
    cr_assert_eq(ours->count, published->count, "%s", record->schema->name);
    for (uint32_t i = 0; i < ours->count; i++) {
        const struct text *name = ours->members[i].name;
        const struct json *a = &ours->members[i].value, *b = &published->members[i].value;
        cr_assert(text_equal(name, published->members[i].name));
        cr_assert_eq(a->type, b->type, "%s", text_chars(name));
        cr_assert_eq(a->count, b->count);
        if (a->type == JSON_TEXT)
            cr_assert(text_equal(a->text, b->text));
        else if (a->type == JSON_NUMBER)
            cr_assert_eq(a->number, b->number);
        else if (a->type == JSON_INTEGER)
            cr_assert_eq(a->integer, b->integer);
    }
    buffer_finish(&json);
}

Test(published, a_map_has_the_members_of_the_json_object_in_their_order)
{
    static const struct view views[] = {{0}, {.with_private = true}, {.aliases = true}};
    struct random random = {35};
    for (unsigned i = 0; i < 2200; i++)
        same_as_json(random_record(&random, &arena, all_schemas[i % ALL_SCHEMAS], 0),
                     i % 4 ? &views[i % 3] : NULL);
}
