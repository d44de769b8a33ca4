// record_json_answers_test.c - what answers show of a record: members, views, aliases, order.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/codec/record_json.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/scene.h"
#include "tests/support/json_records.h"
#include "tests/support/samples.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(writing, .fini = finish);

#define IDENTITY "\"transform\":{\"translation\":[0.0,0.0,0.0],\"rotation\":[0.0,0.0,0.0]}"

// The value comes back as it was sent: members in their order, integers and numbers apart.
Test(writing, a_member_of_json_is_written_as_it_was_read)
{
    static const struct view view = {.fields = FIELD_BIT(OBJECT_EXTRAS)};
    static const char *const values[] = {
        "{}",       "{\"b\":[1,1.0,null],\"a\":{\"é\":\"\\n\"}}",
        "[null]",   "[[[[[[[[1]]]]]]]]",
        "\"text\"", "false",
        "0",        "-0.5",
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char expected[100];
        snprintf(expected, sizeof expected, "{\"extras\":%s}", values[i]);
        json_written(json_record(&arena, &object_edit_schema, expected), &view, expected);
    }
    json_written(json_record(&arena, &object_edit_schema, "{\"extras\":[]}"), &view, "{}");
    json_written(json_record(&arena, &object_edit_schema, "{\"extras\":null}"), &view, "{}");
}

Test(writing, absent_members_are_empty_zero_or_false_and_optional_ones_left_out)
{
    json_written(record_new(&arena, &sample_schema), NULL,
                 "{\"key\":\"\",\"name\":\"\",\"server_made\":\"\",\"fixed\":\"\",\"open\":false,"
                 "\"count\":0,\"ratio\":0.0,\"corner\":[0.0,0.0],\"words\":[],"
                 "\"nested\":{\"value\":0.0,\"left_type\":\"\"},\"values\":[]}");
}

Test(writing, secrets_request_members_and_stored_only_members_are_never_written)
{
    static const struct view all = {.with_private = true, .aliases = true};
    struct record *record = record_new(&arena, &sample_schema);
    const struct text *leak = text_from(&arena, "LEAK");
    record_set_text(record, SAMPLE_SECRET, leak);
    record_set_text(record, SAMPLE_REQUEST_ONLY, leak);
    record_set_text(record, SAMPLE_INTERNAL, leak);
    record_to_json(record, &all, &out);
    buffer_put_char(&out, '\0');
    cr_assert_null(strstr(out.data, "LEAK"), "%s", out.data);
}

Test(writing, private_members_are_for_views_that_say_so)
{
    static const struct view closed = {.fields = FIELD_BIT(SAMPLE_ADDRESS)};
    static const struct view open = {.fields = FIELD_BIT(SAMPLE_ADDRESS), .with_private = true};
    const struct sample *self = json_sample(&arena, "{\"address\":\"::1\"}");
    json_written(&self->base, &closed, "{}");
    json_written(&self->base, &open, "{\"address\":\"::1\"}");
}

Test(writing, a_view_with_private_members_shows_those_of_nested_records_too)
{
    static const struct view open = {.fields = FIELD_BIT(SCENE_DEVICES), .with_private = true};
    json_written(json_record(&arena, &scene_schema,
                             "{\"devices\":[{\"key\":\"d\",\"hostname\":\"h\",\"port\":9}]}"),
                 &open,
                 "{\"devices\":[{\"key\":\"d\",\"hostname\":\"h\",\"port\":9,"
                 "\"connection_string\":\"\",\"transform\":{\"translation\":[0.0,0.0,0.0],"
                 "\"rotation\":[0.0,0.0,0.0]}}]}");
}

Test(writing, a_view_chooses_members_and_writes_aliases_too)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_COUNT),
                                     .aliases = true};
    const struct sample *self = json_sample(&arena, "{\"name\":\"n\",\"count\":2,\"ratio\":1}");
    json_written(&self->base, &view, "{\"name\":\"n\",\"title\":\"n\",\"count\":2}");
}

Test(writing, plain_numbers_stay_plain_and_records_stay_records)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_VALUES)};
    const struct sample *self =
        json_sample(&arena, "{\"values\":[1,{\"value\":2,\"left_type\":\"t\"}]}");
    json_written(&self->base, &view, "{\"values\":[1.0,{\"value\":2.0,\"left_type\":\"t\"}]}");
}

Test(writing, a_member_that_may_have_two_types_comes_back_with_the_one_it_had)
{
    static const struct view view = {.fields =
                                         FIELD_BIT(SAMPLE_ID_TEXT) | FIELD_BIT(SAMPLE_ID_NUMBER)};
    json_written(&json_sample(&arena, "{\"id\":\"17\"}")->base, &view, "{\"id\":\"17\"}");
    json_written(&json_sample(&arena, "{\"id\":17}")->base, &view, "{\"id\":17}");
    json_written(&json_sample(&arena, "{}")->base, &view, "{}");
}

Test(writing, a_transaction_id_is_echoed_as_it_was_sent)
{
    static const char *const ids[] = {"\"a-1\"", "\"17\"", "17", "-3", "1.5", "2.0"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const char *chars = text_format(&arena, "{\"transaction_id\":%s}", ids[i])->data;
        json_written(json_record(&arena, &params_schema, chars), &params_view_echoed, chars);
    }
}

static struct view
view_by_chance(struct random *random)
{
    return (struct view){.fields = random_below(random, 2) ? random_next(random) >> 1 : 0,
                         .revealed = random_next(random) & random_next(random) >> 1,
                         .aliases = random_below(random, 2),
                         .with_private = random_below(random, 2)};
}

// The parts ask the view about each member.
Test(writing, a_record_in_one_piece_is_that_of_its_members_one_by_one)
{
    struct random random = {17};
    struct buffer parts = {0};
    for (unsigned i = 0; i < 5200; i++) {
        const struct view view = view_by_chance(&random);
        const struct record *record =
            random_record(&random, &arena, all_schemas[i % ALL_SCHEMAS], 0);
        struct record_json_part part = {.record = record, .view = &view};
        buffer_clear(&parts);
        buffer_clear(&out);
        cr_assert(record_json_part_put(&part, UINT32_MAX, &parts));
        record_to_json(record, &view, &out);
        cr_assert_eq(out.size, parts.size, "%.*s", (int)parts.size, parts.data);
        cr_assert_arr_eq(out.data, parts.data, parts.size);
        arena_finish(&arena);
    }
    buffer_finish(&parts);
}

Test(writing, one_writer_writes_records_of_several_schemas)
{
    static const struct view view = {.aliases = true};
    struct record_json_writer writer = {.view = &view};
    const struct record *records[] = {&json_sample(&arena, "{\"name\":\"n\",\"count\":2}")->base,
                                      record_new(&arena, &sample_value_schema),
                                      record_new(&arena, &sample_schema)};
    struct buffer alone = {0};
    for (unsigned i = 0; i < 9; i++) {
        record_json_writer_put(&writer, records[i % 3], &out);
        record_to_json(records[i % 3], &view, &alone);
    }
    cr_assert_eq(out.size, alone.size);
    cr_assert_arr_eq(out.data, alone.data, alone.size);
    buffer_finish(&alone);
}

Test(writing, a_sparse_view_leaves_out_lists_without_an_item)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_OPEN) | FIELD_BIT(SAMPLE_WORDS) |
                                               FIELD_BIT(SAMPLE_VALUES),
                                     .sparse = true};
    struct record *record = record_new(&arena, &sample_schema);
    json_written(record, &view, "{\"open\":false}");
    record_mark(record, SAMPLE_VALUES); // present, and without an item
    json_written(record, &view, "{\"open\":false}");
    json_written(&json_sample(&arena, "{\"words\":[\"w\"]}")->base, &view,
                 "{\"open\":false,\"words\":[\"w\"]}");
}

Test(writing, members_without_braces_are_each_followed_by_a_comma)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_OPEN)};
    const struct sample *self = json_sample(&arena, "{\"name\":\"n\"}");
    record_members_to_json(&self->base, &view, &out);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "\"name\":\"n\",\"open\":false,");
}

Test(writing, a_scene_is_answered_whole)
{
    const struct record *scene =
        json_record(&arena, &scene_schema,
                    "{\"key\":\"s\",\"name\":\"Hall\",\"latitude\":100,\"isPublic\":true,"
                    "\"asset_ids\":[\"a\"],\"devices\":[{\"key\":\"d\",\"hostname\":\"h\"}]}");
    json_written(scene, &scene_view_key, "{\"key\":\"s\"}");
    json_written(scene, &scene_view_full,
                 "{\"key\":\"s\",\"name\":\"Hall\",\"description\":\"\",\"region\":\"\","
                 "\"latitude\":100.0,\"longitude\":0.0,\"active\":false,\"public\":true,"
                 "\"distance\":0.0,\"assets\":[\"a\"],\"tags\":[],\"user\":\"\",\"thumbnail\":\"\","
                 "\"devices\":[{\"key\":\"d\"," IDENTITY "}]}");
    json_written(scene, &scene_view_found,
                 "{\"key\":\"s\",\"name\":\"Hall\",\"description\":\"\",\"region\":\"\","
                 "\"latitude\":100.0,\"longitude\":0.0,\"active\":false,\"public\":true,"
                 "\"isPublic\":true,\"distance\":0.0,\"assets\":[\"a\"],\"asset_ids\":[\"a\"],"
                 "\"tags\":[],\"user\":\"\",\"thumbnail\":\"\"}");
    json_written(
        scene, &scene_view_registered,
        "{\"key\":\"s\",\"active\":false,\"public\":true,\"distance\":0.0,\"assets\":[\"a\"],"
        "\"tags\":[],\"devices\":[{\"key\":\"d\"," IDENTITY "}]}");
}

#define MATRIX "\"transform\":[1.0,0.0,0.0,5.0,0.0,1.0,0.0,6.0,0.0,0.0,1.0,7.0,0.0,0.0,0.0,1.0]"

Test(writing, an_object_is_answered_whole)
{
    const struct record *object = json_record(&arena, &object_edit_schema,
                                              "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\","
                                              "\"scale\":[1,1,1]," MATRIX "}");
    object = record_copy(&arena, &object_schema, object); // as it is stored
    json_written(object, &object_view_created, "{\"key\":\"k\"," MATRIX "}");
    json_written(object, &object_view_full,
                 "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\",\"type\":\"\",\"subtype\":\"\","
                 "\"owner\":\"\",\"parent\":\"\",\"asset_sub_id\":\"\"," MATRIX
                 ",\"assets\":[],\"actions\":[]}");
    json_written(object, &object_view_fed,
                 "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\",\"type\":\"\",\"subtype\":\"\","
                 "\"owner\":\"\",\"parent\":\"\"," MATRIX ",\"assets\":[]}");
    json_written(object, &object_view_fed_actions,
                 "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\",\"type\":\"\",\"subtype\":\"\","
                 "\"owner\":\"\",\"parent\":\"\"," MATRIX ",\"assets\":[],\"actions\":[]}");
}

Test(writing, frame_timestamp_and_handles_come_back_when_they_were_sent)
{
    static const struct view view = {.fields = FIELD_BIT(OBJECT_FRAME) |
                                               FIELD_BIT(OBJECT_TIMESTAMP) |
                                               FIELD_BIT(OBJECT_SCALE_HANDLE)};
    json_written(
        json_record(&arena, &object_edit_schema, "{\"frame\":0,\"scale_handle\":[{\"left_x\":1}]}"),
        &view,
        "{\"frame\":0,\"scale_handle\":[{\"left_type\":\"\",\"left_x\":1.0,\"left_y\":0.0,"
        "\"right_type\":\"\",\"right_x\":0.0,\"right_y\":0.0}]}");
}

Test(writing, a_transform_that_was_never_set_is_not_written_as_zeros)
{
    json_written(record_new(&arena, &object_schema), &object_view_created, "{\"key\":\"\"}");
}

Test(writing, an_envelope_says_only_what_it_has)
{
    struct record *envelope = record_new(&arena, &envelope_schema);
    struct record *udp = record_new(&arena, &udp_state_schema);
    json_written(envelope, NULL, "{}");
    record_set_text(udp, UDP_STATE, text_from(&arena, "active"));
    ((struct envelope *)(void *)envelope)->udp = udp;
    record_mark(envelope, ENVELOPE_UDP);
    record_set_integer(envelope, ENVELOPE_NEXT_START_RECORD, 10);
    json_written(envelope, NULL, "{\"next_start_record\":10,\"udp\":{\"state\":\"active\"}}");
}

Test(writing, part_by_part_is_what_is_written_at_once)
{
    static const struct view everything = {.with_private = true, .aliases = true};
    static const struct view *const views[] = {NULL, &everything, &scene_view_key};
    struct random random = {22};
    struct buffer parts = {0};
    for (unsigned i = 0; i < 2000; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        const struct view *view = views[schema == &scene_schema ? i % 3 : i % 2];
        const struct record *record = random_record(&random, &arena, schema, 0);
        struct record_json_part part = {.record = record, .view = view};
        buffer_clear(&out);
        buffer_clear(&parts);
        record_to_json(record, view, &out);
        while (!record_json_part_put(&part, 1 + (uint32_t)random_below(&random, 3), &parts))
            ;
        cr_assert_eq(out.size, parts.size, "%.*s\n%.*s", (int)out.size, out.data, (int)parts.size,
                     parts.data);
        cr_assert_eq(memcmp(out.data, parts.data, out.size), 0);
        arena_finish(&arena);
        arena = (struct arena){0};
    }
    buffer_finish(&parts);
}
