// record_json_test.c - JSON to records and back: members, absent members, warnings.
#include "proto/codec/record_json.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"
#include "tests/support/json_records.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(reading, .fini = finish);
TestSuite(round_trip, .fini = finish);

Test(reading, members_of_every_type_are_read)
{
    const struct sample *self = json_sample(
        &arena, "{\"key\":\"k\",\"name\":\"cube\",\"open\":true,\"count\":3,\"ratio\":0.5,"
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
    const struct sample *self = json_sample(&arena, "{\"values\":[{\"value\":1},7]}");
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
        cr_assert_eq(json_sample(&arena, with_null->data)->base.present, 0, "%s", names[i]);
        cr_assert_eq(json_sample(&arena, with_empty->data)->base.present, 0, "%s", names[i]);
    }
}

Test(reading, an_empty_string_means_absent_for_a_key_and_empty_for_others)
{
    cr_assert_eq(json_sample(&arena, "{\"key\":\"\"}")->base.present, 0);
    cr_assert_eq(json_sample(&arena, "{\"name\":\"\"}")->base.present, FIELD_BIT(SAMPLE_NAME));
}

Test(reading, unknown_names_are_ignored)
{
    cr_assert_eq(
        json_sample(&arena, "{\"nobody\":{\"deep\":[1,{}]},\"\":1,\"Name\":2}")->base.present, 0);
}

Test(reading, what_the_server_makes_and_what_is_stored_only_is_ignored_whatever_its_type)
{
    const struct sample *self = json_sample(&arena, "{\"server_made\":5,\"internal\":{}}");
    cr_assert_eq(self->base.present, 0);
}

Test(reading, requests_give_secrets_fixed_members_and_those_only_for_them)
{
    const struct sample *self =
        json_sample(&arena, "{\"secret\":\"s\",\"fixed\":\"f\",\"request_only\":\"r\"}");
    cr_assert_eq(self->base.present, FIELD_BIT(SAMPLE_SECRET) | FIELD_BIT(SAMPLE_FIXED) |
                                         FIELD_BIT(SAMPLE_REQUEST_ONLY));
}

Test(reading, an_alias_is_as_good_as_the_name_and_the_later_one_wins)
{
    cr_assert_str_eq(json_sample(&arena, "{\"title\":\"t\"}")->name->data, "t");
    cr_assert_str_eq(json_sample(&arena, "{\"title\":\"t\",\"name\":\"n\"}")->name->data, "n");
    cr_assert_str_eq(json_sample(&arena, "{\"name\":\"n\",\"title\":\"t\"}")->name->data, "t");
    cr_assert_str_eq(json_sample(&arena, "{\"name\":\"n\",\"title\":null}")->name->data, "n");
}

Test(reading, an_integral_number_is_an_integer)
{
    cr_assert_eq(json_sample(&arena, "{\"count\":5.0}")->count, 5);
    cr_assert_eq(json_sample(&arena, "{\"stamp\":-2e3}")->stamp, -2000);
    cr_assert_eq(json_sample(&arena, "{\"stamp\":-9223372036854775808.0}")->stamp, INT64_MIN);
}

Test(reading, an_integer_is_a_number)
{
    cr_assert_eq(json_sample(&arena, "{\"ratio\":1}")->ratio, 1.0);
    cr_assert_eq(json_sample(&arena, "{\"corner\":[3,18446744073709551615]}")->corner[1],
                 18446744073709551616.0);
}

Test(reading, a_value_goes_to_the_row_of_its_name_that_its_type_fits)
{
    const struct sample *as_text = json_sample(&arena, "{\"id\":\"17\"}");
    const struct sample *as_number = json_sample(&arena, "{\"id\":17}");
    cr_assert_eq(as_text->base.present, FIELD_BIT(SAMPLE_ID_TEXT));
    cr_assert_str_eq(as_text->id_text->data, "17");
    cr_assert_eq(as_number->base.present, FIELD_BIT(SAMPLE_ID_NUMBER));
    cr_assert_eq(as_number->id_number, 17);
}

Test(reading, a_default_handle_of_a_client_is_read)
{
    const struct object *self =
        (const void *)json_record(&arena, &object_edit_schema,
                                  "{\"translation_handle\":[{\"left_type\":null,"
                                  "\"left_x\":[],\"right_x\":2}]}");
    cr_assert_eq(self->rare->translation_handle->items[0]->present, FIELD_BIT(HANDLE_RIGHT_X));
}

Test(reading, empty_actions_of_a_request_are_absent)
{
    cr_assert_eq(json_record(&arena, &object_edit_schema, "{\"actions\":[]}")->present, 0);
    cr_assert_eq(
        json_record(&arena, &object_edit_schema, "{\"actions\":[{\"name\":\"walk\"}]}")->present,
        FIELD_BIT(OBJECT_ACTIONS));
}

Test(reading, values_of_properties_are_numbers_or_records)
{
    const struct property *self = (const void *)json_record(
        &arena, &property_edit_schema,
        "{\"values\":[110,{\"value\":2.5,\"left_type\":\"t\"}],\"msg_type\":9}");
    const struct value *plain = (const void *)self->values->items[0];
    const struct value *whole = (const void *)self->values->items[1];
    cr_assert_eq(self->base.present, FIELD_BIT(PROPERTY_VALUES));
    cr_assert_eq(plain->base.present, RECORD_SCALAR | FIELD_BIT(VALUE_VALUE));
    cr_assert_eq(plain->value, 110);
    cr_assert_eq(whole->base.present, FIELD_BIT(VALUE_VALUE) | FIELD_BIT(VALUE_LEFT_TYPE));
    json_written(&self->base, &property_view_fed,
                 "{\"key\":\"\",\"name\":\"\",\"scene\":\"\",\"parent\":\"\",\"asset_sub_id\":\"\","
                 "\"values\":[110.0,"
                 "{\"value\":2.5,\"left_type\":\"t\",\"left_x\":0.0,\"left_y\":0.0,"
                 "\"right_type\":\"\",\"right_x\":0.0,\"right_y\":0.0}]}");
}

Test(reading, a_registration_of_a_real_client_is_read)
{
    const struct scene *scene = (const void *)json_record(
        &arena, &scene_schema,
        "{\"key\":\"s\",\"name\":null,\"devices\":[{\"key\":\"d\",\"hostname\":\"127.0.0.1\","
        "\"port\":9000,\"connection_string\":\"\",\"transform\":{\"translation\":[1,2,3]}}]}");
    const struct device *device = (const void *)scene->devices->items[0];
    const struct pose *pose = (const void *)device_rare_of(device)->transform;
    cr_assert_eq(device->port, 9000);
    cr_assert_str_eq(device->hostname->data, "127.0.0.1");
    cr_assert_eq(pose->translation[2], 3);
    cr_assert_eq(pose->base.present, FIELD_BIT(POSE_TRANSLATION));
    cr_assert_eq(pose->rotation[0], 0);
}

// --- what a web interface sends ---

Test(reading, array_of_nulls_alone_is_absent_whatever_the_member)
{
    const struct record *record =
        json_record(&arena, &object_schema,
                    "{\"name\":[null],\"transform\":[null,null],\"assets\":[null],"
                    "\"actions\":[null]}");
    cr_assert_eq(record->present, 0);
}

Test(reading, null_among_other_items_is_refused)
{
    json_refused(&arena, &object_schema, "{\"assets\":[null,\"a\"]}", ERR_MALFORMED,
                 "/s/0/assets/0", "must be a string");
}

Test(reading, empty_word_is_no_item_of_a_list_of_words)
{
    const struct scene *scene =
        scene_of(json_record(&arena, &scene_schema, "{\"tags\":[\"\",\"t\",\"\"]}"));
    cr_assert_eq(texts_count(scene->tags), 1);
    cr_assert(text_is(scene->tags->items[0], "t"));
    cr_assert_eq(json_record(&arena, &scene_schema, "{\"tags\":[\"\",null]}")->present, 0);
    json_refused(&arena, &scene_schema, "{\"assets\":[\"\"],\"tags\":\"t\"}", ERR_MALFORMED,
                 "/s/0/tags", "must be an array of strings");
}

Test(reading, texts_are_numbers_only_where_the_reader_takes_them)
{
    const struct record_reader reader = {.arena = &arena, .takes_numerals = true};
    const struct json *value = json_parsed(&arena, "{\"latitude\":\"-10.5\"}");
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
    json_refused(&arena, &scene_schema, "{\"latitude\":\"10\"}", ERR_MALFORMED, "/s/0/latitude",
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
    cr_assert_eq(record_read_json(&reader, schema, json_parsed(&arena, chars), "", &record), OK,
                 "%s", chars);
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

Test(reading, matrices_by_columns_are_warned_of_where_their_last_row_is_none)
{
    static const char *const matrices[] = {"[1,0,0,5,0,1,0,6,0,0,1,7,0,0,0,1]",
                                           "[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]"};
    for (size_t i = 0; i < 2; i++) {
        struct warnings warnings = {0};
        const struct json *body;
        struct record *record;
        const struct record_reader reader = {
            .arena = &arena, .warnings = &warnings, .by_columns = true};
        const char *text = text_chars(text_format(&arena, "{\"transform\":%s}", matrices[i]));
        cr_assert_eq(OK, json_parse(&arena, text, strlen(text), &body));
        cr_assert_eq(OK, record_read_json(&reader, &object_schema, body, "", &record));
        cr_assert_eq(i == 0, warnings.first != NULL);
    }
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
