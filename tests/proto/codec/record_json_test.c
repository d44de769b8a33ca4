// record_json_test.c - JSON to records and back: absent members, refusals and their places,
// answers.
#include "proto/codec/record_json.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"
#include "tests/support/samples.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(reading, .fini = finish);
TestSuite(refusing, .fini = finish);
TestSuite(writing, .fini = finish);
TestSuite(round_trip, .fini = finish);

static const struct json *
parse(const char *chars)
{
    const struct json *value;
    cr_assert_eq(json_parse(&arena, chars, strlen(chars), &value), OK, "%s: %s", chars,
                 fault_last()->detail);
    return value;
}

static struct record *
read_as(const struct schema *schema, const char *chars)
{
    struct record *record;
    cr_assert_eq(record_from_json(&arena, schema, parse(chars), "", &record), OK, "%s: %s %s",
                 chars, fault_last()->pointer, fault_last()->detail);
    return record;
}

static const struct sample *
read_sample(const char *chars)
{
    return (const struct sample *)(void *)read_as(&sample_schema, chars);
}

static void
refused(const struct schema *schema, const char *chars, enum error error, const char *pointer,
        const char *detail)
{
    struct record *record = NULL;
    cr_assert_eq(record_from_json(&arena, schema, parse(chars), "/s/0", &record), error, "%s",
                 chars);
    cr_assert_null(record);
    cr_assert_str_eq(fault_last()->pointer, pointer, "%s: %s", chars, fault_last()->pointer);
    cr_assert_str_eq(fault_last()->detail, detail, "%s: %s", chars, fault_last()->detail);
}

static void
written(const struct record *record, const struct view *view, const char *expected)
{
    buffer_clear(&out);
    record_to_json(record, view, &out);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

// --- reading -------------------------------------------------------------------------------------

Test(reading, members_of_every_type_are_read)
{
    const struct sample *self =
        read_sample("{\"key\":\"k\",\"name\":\"cube\",\"open\":true,\"count\":3,\"ratio\":0.5,"
                    "\"corner\":[1,-2.5],\"words\":[\"a\",\"b\"],\"nested\":{\"value\":4},"
                    "\"values\":[{\"value\":1,\"left_type\":\"t\"},7.5],\"address\":\"::1\"}");
    const struct sample_value *nested = (const void *)self->value;
    const struct sample_value *first = (const void *)self->values->items[0];
    const struct sample_value *second = (const void *)self->values->items[1];
    cr_assert_str_eq(self->key->data, "k");
    cr_assert_str_eq(self->name->data, "cube");
    cr_assert(self->open);
    cr_assert_eq(self->count, 3);
    cr_assert_eq(self->ratio, 0.5);
    cr_assert_eq(self->corner[0], 1);
    cr_assert_eq(self->corner[1], -2.5);
    cr_assert_eq(self->words->count, 2);
    cr_assert_str_eq(self->words->items[1]->data, "b");
    cr_assert_eq(nested->value, 4);
    cr_assert_eq(first->value, 1);
    cr_assert_str_eq(first->left_type->data, "t");
    cr_assert_eq(second->value, 7.5);
    cr_assert_str_eq(self->address->data, "::1");
    cr_assert_eq(self->base.present, FIELD_BIT(SAMPLE_KEY) | FIELD_BIT(SAMPLE_NAME) |
                                         FIELD_BIT(SAMPLE_OPEN) | FIELD_BIT(SAMPLE_COUNT) |
                                         FIELD_BIT(SAMPLE_RATIO) | FIELD_BIT(SAMPLE_CORNER) |
                                         FIELD_BIT(SAMPLE_WORDS) | FIELD_BIT(SAMPLE_NESTED) |
                                         FIELD_BIT(SAMPLE_VALUES) | FIELD_BIT(SAMPLE_ADDRESS));
}

Test(reading, an_item_that_is_a_plain_number_remembers_it)
{
    const struct sample *self = read_sample("{\"values\":[{\"value\":1},7]}");
    cr_assert_eq(self->values->items[0]->present, FIELD_BIT(SAMPLE_VALUE));
    cr_assert_eq(self->values->items[1]->present, FIELD_BIT(SAMPLE_VALUE) | RECORD_SCALAR);
}

Test(reading, null_and_an_empty_array_mean_absent_wherever_they_stand)
{
    static const char *const names[] = {"key",    "name",  "open",   "count",  "ratio",
                                        "corner", "words", "nested", "values", "id"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct text *with_null = text_format(&arena, "{\"%s\":null}", names[i]);
        const struct text *with_empty = text_format(&arena, "{\"%s\":[]}", names[i]);
        cr_assert_eq(read_sample(with_null->data)->base.present, 0, "%s", names[i]);
        cr_assert_eq(read_sample(with_empty->data)->base.present, 0, "%s", names[i]);
    }
}

Test(reading, an_empty_string_means_absent_for_a_key_and_empty_for_others)
{
    cr_assert_eq(read_sample("{\"key\":\"\"}")->base.present, 0);
    cr_assert_eq(read_sample("{\"name\":\"\"}")->base.present, FIELD_BIT(SAMPLE_NAME));
}

Test(reading, unknown_names_are_ignored)
{
    cr_assert_eq(read_sample("{\"nobody\":{\"deep\":[1,{}]},\"\":1,\"Name\":2}")->base.present, 0);
}

Test(reading, what_the_server_makes_and_what_is_stored_only_is_ignored_whatever_its_type)
{
    const struct sample *self = read_sample("{\"server_made\":5,\"internal\":{}}");
    cr_assert_eq(self->base.present, 0);
}

Test(reading, requests_give_secrets_fixed_members_and_those_only_for_them)
{
    const struct sample *self =
        read_sample("{\"secret\":\"s\",\"fixed\":\"f\",\"request_only\":\"r\"}");
    cr_assert_eq(self->base.present, FIELD_BIT(SAMPLE_SECRET) | FIELD_BIT(SAMPLE_FIXED) |
                                         FIELD_BIT(SAMPLE_REQUEST_ONLY));
}

Test(reading, an_alias_is_as_good_as_the_name_and_the_later_one_wins)
{
    cr_assert_str_eq(read_sample("{\"title\":\"t\"}")->name->data, "t");
    cr_assert_str_eq(read_sample("{\"title\":\"t\",\"name\":\"n\"}")->name->data, "n");
    cr_assert_str_eq(read_sample("{\"name\":\"n\",\"title\":\"t\"}")->name->data, "t");
    cr_assert_str_eq(read_sample("{\"name\":\"n\",\"title\":null}")->name->data, "n");
}

Test(reading, an_integral_number_is_an_integer)
{
    cr_assert_eq(read_sample("{\"count\":5.0}")->count, 5);
    cr_assert_eq(read_sample("{\"stamp\":-2e3}")->stamp, -2000);
    cr_assert_eq(read_sample("{\"stamp\":-9223372036854775808.0}")->stamp, INT64_MIN);
}

Test(reading, an_integer_is_a_number)
{
    cr_assert_eq(read_sample("{\"ratio\":1}")->ratio, 1.0);
    cr_assert_eq(read_sample("{\"corner\":[3,18446744073709551615]}")->corner[1],
                 18446744073709551616.0);
}

Test(reading, a_value_goes_to_the_row_of_its_name_that_its_type_fits)
{
    const struct sample *as_text = read_sample("{\"id\":\"17\"}");
    const struct sample *as_number = read_sample("{\"id\":17}");
    cr_assert_eq(as_text->base.present, FIELD_BIT(SAMPLE_ID_TEXT));
    cr_assert_str_eq(as_text->id_text->data, "17");
    cr_assert_eq(as_number->base.present, FIELD_BIT(SAMPLE_ID_NUMBER));
    cr_assert_eq(as_number->id_number, 17);
}

Test(reading, a_default_handle_of_a_client_is_read)
{
    const struct object *self =
        (const void *)read_as(&object_edit_schema, "{\"translation_handle\":[{\"left_type\":null,"
                                                   "\"left_x\":[],\"right_x\":2}]}");
    cr_assert_eq(self->translation_handle->items[0]->present, FIELD_BIT(HANDLE_RIGHT_X));
}

Test(reading, empty_actions_of_a_request_are_absent)
{
    cr_assert_eq(read_as(&object_edit_schema, "{\"actions\":[]}")->present, 0);
    cr_assert_eq(read_as(&object_edit_schema, "{\"actions\":[{\"name\":\"walk\"}]}")->present,
                 FIELD_BIT(OBJECT_ACTIONS));
}

Test(reading, values_of_properties_are_numbers_or_records)
{
    const struct property *self = (const void *)read_as(
        &property_edit_schema,
        "{\"values\":[110,{\"value\":2.5,\"left_type\":\"t\"}],\"msg_type\":9}");
    const struct value *plain = (const void *)self->values->items[0];
    const struct value *whole = (const void *)self->values->items[1];
    cr_assert_eq(self->base.present, FIELD_BIT(PROPERTY_VALUES));
    cr_assert_eq(plain->base.present, RECORD_SCALAR | FIELD_BIT(VALUE_VALUE));
    cr_assert_eq(plain->value, 110);
    cr_assert_eq(whole->base.present, FIELD_BIT(VALUE_VALUE) | FIELD_BIT(VALUE_LEFT_TYPE));
    written(&self->base, &property_view_fed,
            "{\"key\":\"\",\"name\":\"\",\"scene\":\"\",\"parent\":\"\",\"asset_sub_id\":\"\","
            "\"values\":[110.0,"
            "{\"value\":2.5,\"left_type\":\"t\",\"left_x\":0.0,\"left_y\":0.0,"
            "\"right_type\":\"\",\"right_x\":0.0,\"right_y\":0.0}]}");
}

Test(reading, a_registration_of_a_real_client_is_read)
{
    const struct scene *scene = (const void *)read_as(
        &scene_schema,
        "{\"key\":\"s\",\"name\":null,\"devices\":[{\"key\":\"d\",\"hostname\":\"127.0.0.1\","
        "\"port\":9000,\"connection_string\":\"\",\"transform\":{\"translation\":[1,2,3]}}]}");
    const struct device *device = (const void *)scene->devices->items[0];
    const struct pose *pose = (const void *)device->transform;
    cr_assert_eq(device->port, 9000);
    cr_assert_str_eq(device->hostname->data, "127.0.0.1");
    cr_assert_eq(pose->translation[2], 3);
    cr_assert_eq(pose->base.present, FIELD_BIT(POSE_TRANSLATION));
    cr_assert_eq(pose->rotation[0], 0);
}

// --- refusing ------------------------------------------------------------------------------------

Test(refusing, a_record_is_an_object)
{
    refused(&sample_schema, "[1]", ERR_MALFORMED, "/s/0", "must be an object");
    refused(&sample_schema, "null", ERR_MALFORMED, "/s/0", "must be an object");
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
        {"{\"values\":[1,\"2\"]}",        "/s/0/values/1",         "must be an object"},
        {"{\"values\":[{\"value\":\"\"}]}", "/s/0/values/0/value", "must be a number"},
        {"{\"id\":true}",                 "/s/0/id",               "must be a string"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refused(&sample_schema, rows[i].chars, ERR_MALFORMED, rows[i].pointer, rows[i].detail);
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
        refused(&sample_schema, rows[i].chars, ERR_INVALID, rows[i].pointer, rows[i].detail);
    refused(&object_edit_schema, "{\"transform\":[1,2,3]}", ERR_INVALID, "/s/0/transform",
            "must have 16 numbers");
}

Test(refusing, a_bad_key_is_invalid)
{
    struct record *record;
    cr_assert_eq(
        record_from_json(&arena, &scene_schema, parse("{\"key\":\"a/b\"}"), "/scenes/0", &record),
        ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/scenes/0/key");
}

Test(refusing, an_error_deep_in_a_scene_is_named_by_its_place)
{
    refused(&scene_schema, "{\"devices\":[{},{\"transform\":{\"translation\":[1,2,\"x\"]}}]}",
            ERR_MALFORMED, "/s/0/devices/1/transform/translation/2", "must be a number");
    refused(&scene_schema, "{\"latitude\":\"north\"}", ERR_MALFORMED, "/s/0/latitude",
            "must be a number");
}

Test(refusing, plain_numbers_are_no_records_where_the_row_does_not_say_so)
{
    refused(&object_edit_schema, "{\"scale_handle\":[1]}", ERR_MALFORMED, "/s/0/scale_handle/0",
            "must be an object");
}

// --- writing -------------------------------------------------------------------------------------

#define IDENTITY "\"transform\":{\"translation\":[0.0,0.0,0.0],\"rotation\":[0.0,0.0,0.0]}"

Test(writing, absent_members_are_empty_zero_or_false_and_optional_ones_left_out)
{
    written(record_new(&arena, &sample_schema), NULL,
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
    const struct sample *self = read_sample("{\"address\":\"::1\"}");
    written(&self->base, &closed, "{}");
    written(&self->base, &open, "{\"address\":\"::1\"}");
}

Test(writing, a_view_with_private_members_shows_those_of_nested_records_too)
{
    static const struct view open = {.fields = FIELD_BIT(SCENE_DEVICES), .with_private = true};
    written(read_as(&scene_schema, "{\"devices\":[{\"key\":\"d\",\"hostname\":\"h\",\"port\":9}]}"),
            &open,
            "{\"devices\":[{\"key\":\"d\",\"hostname\":\"h\",\"port\":9,"
            "\"connection_string\":\"\",\"transform\":{\"translation\":[0.0,0.0,0.0],"
            "\"rotation\":[0.0,0.0,0.0]}}]}");
}

Test(writing, a_view_chooses_members_and_writes_aliases_too)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_COUNT),
                                     .aliases = true};
    const struct sample *self = read_sample("{\"name\":\"n\",\"count\":2,\"ratio\":1}");
    written(&self->base, &view, "{\"name\":\"n\",\"title\":\"n\",\"count\":2}");
}

Test(writing, plain_numbers_stay_plain_and_records_stay_records)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_VALUES)};
    const struct sample *self = read_sample("{\"values\":[1,{\"value\":2,\"left_type\":\"t\"}]}");
    written(&self->base, &view, "{\"values\":[1.0,{\"value\":2.0,\"left_type\":\"t\"}]}");
}

Test(writing, a_member_that_may_have_two_types_comes_back_with_the_one_it_had)
{
    static const struct view view = {.fields =
                                         FIELD_BIT(SAMPLE_ID_TEXT) | FIELD_BIT(SAMPLE_ID_NUMBER)};
    written(&read_sample("{\"id\":\"17\"}")->base, &view, "{\"id\":\"17\"}");
    written(&read_sample("{\"id\":17}")->base, &view, "{\"id\":17}");
    written(&read_sample("{}")->base, &view, "{}");
}

Test(writing, a_transaction_id_is_echoed_as_it_was_sent)
{
    static const char *const ids[] = {"\"a-1\"", "\"17\"", "17", "-3", "1.5", "2.0"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const char *chars = text_format(&arena, "{\"transaction_id\":%s}", ids[i])->data;
        written(read_as(&params_schema, chars), &params_view_echoed, chars);
    }
}

Test(writing, members_without_braces_are_each_followed_by_a_comma)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_OPEN)};
    const struct sample *self = read_sample("{\"name\":\"n\"}");
    record_members_to_json(&self->base, &view, &out);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "\"name\":\"n\",\"open\":false,");
}

Test(writing, a_scene_is_answered_whole)
{
    const struct record *scene = read_as(
        &scene_schema, "{\"key\":\"s\",\"name\":\"Hall\",\"latitude\":100,\"isPublic\":true,"
                       "\"asset_ids\":[\"a\"],\"devices\":[{\"key\":\"d\",\"hostname\":\"h\"}]}");
    written(scene, &scene_view_key, "{\"key\":\"s\"}");
    written(scene, &scene_view_full,
            "{\"key\":\"s\",\"name\":\"Hall\",\"description\":\"\",\"region\":\"\","
            "\"latitude\":100.0,\"longitude\":0.0,\"active\":false,\"public\":true,"
            "\"distance\":0.0,\"assets\":[\"a\"],\"tags\":[],\"user\":\"\",\"thumbnail\":\"\","
            "\"devices\":[{\"key\":\"d\"," IDENTITY "}]}");
    written(scene, &scene_view_found,
            "{\"key\":\"s\",\"name\":\"Hall\",\"description\":\"\",\"region\":\"\","
            "\"latitude\":100.0,\"longitude\":0.0,\"active\":false,\"public\":true,"
            "\"isPublic\":true,\"distance\":0.0,\"assets\":[\"a\"],\"asset_ids\":[\"a\"],"
            "\"tags\":[],\"user\":\"\",\"thumbnail\":\"\"}");
    written(scene, &scene_view_registered,
            "{\"key\":\"s\",\"active\":false,\"public\":true,\"distance\":0.0,\"assets\":[\"a\"],"
            "\"tags\":[],\"devices\":[{\"key\":\"d\"," IDENTITY "}]}");
}

#define MATRIX "\"transform\":[1.0,0.0,0.0,5.0,0.0,1.0,0.0,6.0,0.0,0.0,1.0,7.0,0.0,0.0,0.0,1.0]"

Test(writing, an_object_is_answered_whole)
{
    const struct record *object =
        read_as(&object_edit_schema, "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\","
                                     "\"scale\":[1,1,1]," MATRIX "}");
    object = record_copy(&arena, &object_schema, object); // as it is stored
    written(object, &object_view_created, "{\"key\":\"k\"," MATRIX "}");
    written(object, &object_view_full,
            "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\",\"type\":\"\",\"subtype\":\"\","
            "\"owner\":\"\",\"parent\":\"\",\"asset_sub_id\":\"\"," MATRIX
            ",\"assets\":[],\"actions\":[]}");
    written(object, &object_view_fed,
            "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\",\"type\":\"\",\"subtype\":\"\","
            "\"owner\":\"\",\"parent\":\"\"," MATRIX ",\"assets\":[]}");
    written(object, &object_view_fed_actions,
            "{\"key\":\"k\",\"name\":\"cube\",\"scene\":\"s1\",\"type\":\"\",\"subtype\":\"\","
            "\"owner\":\"\",\"parent\":\"\"," MATRIX ",\"assets\":[],\"actions\":[]}");
}

Test(writing, frame_timestamp_and_handles_come_back_when_they_were_sent)
{
    static const struct view view = {.fields = FIELD_BIT(OBJECT_FRAME) |
                                               FIELD_BIT(OBJECT_TIMESTAMP) |
                                               FIELD_BIT(OBJECT_SCALE_HANDLE)};
    written(read_as(&object_edit_schema, "{\"frame\":0,\"scale_handle\":[{\"left_x\":1}]}"), &view,
            "{\"frame\":0,\"scale_handle\":[{\"left_type\":\"\",\"left_x\":1.0,\"left_y\":0.0,"
            "\"right_type\":\"\",\"right_x\":0.0,\"right_y\":0.0}]}");
}

Test(writing, a_transform_that_was_never_set_is_not_written_as_zeros)
{
    written(record_new(&arena, &object_schema), &object_view_created, "{\"key\":\"\"}");
}

Test(writing, an_envelope_says_only_what_it_has)
{
    struct record *envelope = record_new(&arena, &envelope_schema);
    struct record *udp = record_new(&arena, &udp_state_schema);
    written(envelope, NULL, "{}");
    record_set_text(udp, UDP_STATE, text_from(&arena, "active"));
    ((struct envelope *)(void *)envelope)->udp = udp;
    record_mark(envelope, ENVELOPE_UDP);
    record_set_integer(envelope, ENVELOPE_NEXT_START_RECORD, 10);
    written(envelope, NULL, "{\"next_start_record\":10,\"udp\":{\"state\":\"active\"}}");
}

// --- what a web interface sends ---

Test(reading, array_of_nulls_alone_is_absent_whatever_the_member)
{
    const struct record *record =
        read_as(&object_schema, "{\"name\":[null],\"transform\":[null,null],\"assets\":[null],"
                                "\"actions\":[null]}");
    cr_assert_eq(record->present, 0);
}

Test(reading, null_among_other_items_is_refused)
{
    refused(&object_schema, "{\"assets\":[null,\"a\"]}", ERR_MALFORMED, "/s/0/assets/0",
            "must be a string");
}

Test(reading, empty_word_is_no_item_of_a_list_of_words)
{
    const struct scene *scene = scene_of(read_as(&scene_schema, "{\"tags\":[\"\",\"t\",\"\"]}"));
    cr_assert_eq(texts_count(scene->tags), 1);
    cr_assert(text_is(scene->tags->items[0], "t"));
    cr_assert_eq(read_as(&scene_schema, "{\"tags\":[\"\",null]}")->present, 0);
    refused(&scene_schema, "{\"assets\":[\"\"],\"tags\":\"t\"}", ERR_MALFORMED, "/s/0/tags",
            "must be an array of strings");
}

Test(reading, texts_are_numbers_only_where_the_reader_takes_them)
{
    const struct record_reader reader = {.arena = &arena, .takes_numerals = true};
    const struct json *value = parse("{\"latitude\":\"-10.5\"}");
    struct record *record;
    cr_assert_eq(record_read_json(&reader, &scene_schema, value, "", &record), OK);
    cr_assert_eq(scene_of(record)->latitude, -10.5);
    static const char *const odd[] = {"", "ten", "1 ", "0x1", "nan", "1e999", "1,5"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct json_member member = {text_from(&arena, "latitude"),
                                     {.type = JSON_TEXT, .text = text_from(&arena, odd[i])}};
        const struct json object = {.type = JSON_OBJECT, .count = 1, .members = &member};
        cr_assert_eq(record_read_json(&reader, &scene_schema, &object, "", &record), ERR_MALFORMED,
                     "%s", odd[i]);
    }
    refused(&scene_schema, "{\"latitude\":\"10\"}", ERR_MALFORMED, "/s/0/latitude",
            "must be a number");
}

// --- what is warned of ---

// Reads an object with warnings; the pointers of these, spaces between.
static const char *
warned_of(const struct schema *schema, const char *chars)
{
    static const struct schema *const beside[] = {&params_body_schema, NULL};
    static const char *const names[] = {"objects", NULL};
    static char pointers[512];
    struct warnings warnings = {0};
    struct record_reader reader = {
        .arena = &arena, .warnings = &warnings, .beside = beside, .names_beside = names};
    struct record *record;
    cr_assert_eq(record_read_json(&reader, schema, parse(chars), "", &record), OK, "%s", chars);
    pointers[0] = '\0';
    for (const struct warning *at = warnings.first; at; at = at->next) {
        strncat(pointers, text_chars(at->pointer), sizeof pointers - strlen(pointers) - 1);
        strncat(pointers, text_chars(at->detail), sizeof pointers - strlen(pointers) - 1);
    }
    return pointers;
}

Test(reading, unknown_names_are_warned_of_with_the_nearest_known_one)
{
    cr_expect_str_eq(warned_of(&object_edit_schema, "{\"translaton\":[1,2,3]}"),
                     "/translaton"
                     "is not known here; the nearest is translation");
    cr_expect_str_eq(warned_of(&object_schema, "{\"zzzzzzzzzzzz\":1}"), "/zzzzzzzzzzzz"
                                                                        "is not known here");
    cr_expect_str_eq(warned_of(&object_schema, "{\"actions\":[{\"nmae\":\"a\"}]}"),
                     "/actions/0/nmae"
                     "is not known here; the nearest is name");
    cr_expect_str_eq(warned_of(&object_schema, "{\"zzzzzzzzzzzz\":null,\"zzzzzzzzzzzzz\":[]}"), "");
}

Test(reading, what_stands_beside_the_record_is_known_at_the_top_alone)
{
    cr_expect_str_eq(warned_of(&object_schema, "{\"transaction_id\":1,\"objects\":{}}"), "");
    cr_expect_str_eq(warned_of(&object_schema, "{\"actions\":[{\"objects\":1}]}"),
                     "/actions/0/objects"
                     "is not known here");
}

Test(reading, places_and_matrices_that_are_not_likely_are_warned_of)
{
    cr_expect_str_eq(warned_of(&scene_schema, "{\"latitude\":90,\"longitude\":-180}"), "");
    cr_expect_str_eq(warned_of(&scene_schema, "{\"latitude\":-90.5}"),
                     "/latitude"
                     "is outside the map, which goes from -90 to 90");
    cr_expect_str_eq(warned_of(&scene_schema, "{\"longitude\":500}"),
                     "/longitude"
                     "is outside the map, which goes from -180 to 180");
    cr_expect_str_eq(warned_of(&object_schema, "{\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}"),
                     "/transform"
                     "has a last row that is not 0, 0, 0, 1: matrices are written row by row");
    cr_expect_str_eq(warned_of(&object_schema, "{\"transform\":[1,0,0,5,0,1,0,6,0,0,1,7,0,0,0,1]}"),
                     "");
}

// --- round trip ----------------------------------------------------------------------------------

// All that JSON can carry both ways; absent members come back as empty ones, so the texts are
// compared.
Test(round_trip, what_is_written_reads_back_as_what_writes_the_same)
{
    static const struct view view = {.with_private = true, .aliases = true};
    struct random random = {21};
    struct buffer again = {0};
    for (unsigned i = 0; i < 5500; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        struct record *record =
            random_record(&random, &arena, schema, FIELD_DERIVED | FIELD_HIDDEN);
        const struct json *value;
        struct record *back;
        if (schema == &sample_schema) // 0, which stands for an absent one, is out of its bounds
            record_set_integer(record, SAMPLE_COUNT, 5);
        buffer_clear(&out);
        record_to_json(record, &view, &out);
        cr_assert_eq(json_parse(&arena, out.data, out.size, &value), OK, "%s",
                     fault_last()->detail);
        cr_assert_eq(record_from_json(&arena, schema, value, "", &back), OK, "%s %s %s",
                     schema->name, fault_last()->pointer, fault_last()->detail);
        buffer_clear(&again);
        record_to_json(back, &view, &again);
        cr_assert_eq(again.size, out.size, "%s %u", schema->name, i);
        cr_assert_eq(memcmp(again.data, out.data, out.size), 0, "%s %u", schema->name, i);
    }
    buffer_finish(&again);
}
