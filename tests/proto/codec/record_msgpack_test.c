// record_msgpack_test.c - stored and sent records, byte by byte, and refusals.
#include "proto/codec/record_msgpack.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"
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

TestSuite(stored, .fini = finish);

static enum error
load(const struct schema *schema, const char *hex, struct record **ret_record)
{
    size_t size;
    const char *data = hex_bytes(&arena, hex, &size);
    return record_from_stored(&arena, schema, data, size, ret_record);
}

#define ZERO "cb0000000000000000"
#define ONE "cb3ff0000000000000"

Test(stored, a_pose_is_these_bytes)
{
    record_to_stored(json_record(&arena, &pose_schema, "{\"translation\":[1,0,-2.5]}"), &out);
    hex_expect(&out, "81"
                     "00"
                     "93" ONE ZERO "cbc004000000000000");
}

Test(stored, a_device_is_these_bytes)
{
    struct record *device =
        json_record(&arena, &device_schema,
                    "{\"key\":\"d\",\"hostname\":\"h\",\"port\":8000,"
                    "\"connection_string\":\"\",\"transform\":{\"rotation\":[0,0,1]}}");
    record_set_text(device, DEVICE_ADDRESS, text_from(&arena, "::1"));
    record_to_stored(device, &out);
    hex_expect(&out, "86"
                     "00a164"
                     "01a168"
                     "02cd1f40"
                     "03a0"
                     "048101"
                     "93" ZERO ZERO ONE "06a33a3a31");
}

Test(stored, a_scene_is_these_bytes)
{
    struct record *scene = json_record(&arena, &scene_schema,
                                       "{\"key\":\"s\",\"latitude\":48.5,\"tags\":[\"a\",\"b\"],"
                                       "\"public\":true,\"active\":false,\"distance\":3,"
                                       "\"devices\":[{\"key\":\"d\"}]}");
    record_set_integer(scene, SCENE_ID, -7);
    record_to_stored(scene, &out);
    hex_expect(&out, "86"
                     "00a173"
                     "03cb4048400000000000"
                     "08c2"
                     "07c3"
                     "0692a161a162"
                     "0ff9");
}

Test(stored, a_property_with_an_action_is_these_bytes)
{
    record_to_stored(json_record(&arena, &property_edit_schema,
                                 "{\"key\":\"k\",\"name\":\"g\",\"frame\":-1,"
                                 "\"values\":[1,{\"value\":1,\"left_type\":\"t\"}],"
                                 "\"actions\":[{\"name\":\"walk\",\"description\":\"d\","
                                 "\"keyframes\":[{\"frame\":-2,\"values\":[1]}]}]}"),
                     &out);
    hex_expect(&out, "85"
                     "00a16b"
                     "01a167"
                     "08ff"
                     "1092" ONE "8200" ONE "01a174"
                     "0f91"
                     "8300a477616c6b01a164029182"
                     "00fe0191" ONE);
}

Test(stored, a_keyframe_of_an_object_is_these_bytes)
{
    record_to_stored(json_record(&arena, &object_keyframe_edit_schema,
                                 "{\"frame\":1,\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"
                                 "\"scale_handle\":[{\"left_x\":1}],\"scale\":[2,2,2]}"),
                     &out);
    hex_expect(
        &out, "83"
              "0001"
              "0adc0010" ONE ZERO ZERO ZERO ZERO ONE ZERO ZERO ZERO ZERO ONE ZERO ZERO ZERO ZERO ONE
              "0e918101" ONE);
}

Test(stored, an_object_is_these_bytes)
{
    record_to_stored(
        json_record(&arena, &object_edit_schema,
                    "{\"key\":\"k\",\"name\":\"cube\",\"frame\":-1,\"timestamp\":1700000000,"
                    "\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],\"assets\":[\"a\"],"
                    "\"scale_handle\":[{\"left_x\":1}],\"scale\":[2,2,2]}"),
        &out);
    hex_expect(
        &out, "87"
              "00a16b"
              "01a463756265"
              "08ff"
              "09ce6553f100"
              "0adc0010" ONE ZERO ZERO ZERO ZERO ONE ZERO ZERO ZERO ZERO ONE ZERO ZERO ZERO ZERO ONE
              "0b91a161"
              "0e918101" ONE);
}

Test(stored, plain_numbers_and_records_in_one_list_are_these_bytes)
{
    record_to_stored(json_record(&arena, &sample_schema, "{\"values\":[1,{\"value\":1}]}"), &out);
    hex_expect(&out, "81"
                     "0d92" ONE "8100" ONE);
}

Test(stored, members_for_requests_answers_and_secrets_are_left_out)
{
    struct record *record = record_new(&arena, &sample_schema);
    for (unsigned id = SAMPLE_SECRET; id <= SAMPLE_REQUEST_ONLY; id++)
        record_set_text(record, id, text_from(&arena, "x"));
    record_set_text(record, SAMPLE_INTERNAL, text_from(&arena, "y"));
    record_to_stored(record, &out);
    hex_expect(&out, "82"
                     "04a178"
                     "10a179");
}

Test(stored, a_frame_leaves_out_secrets_only)
{
    struct record *record = record_new(&arena, &sample_schema);
    for (unsigned id = SAMPLE_SECRET; id <= SAMPLE_REQUEST_ONLY; id++)
        record_set_text(record, id, text_from(&arena, "x"));
    record_to_frame(record, &out);
    hex_expect(&out, "83"
                     "03a178"
                     "04a178"
                     "05a178");
}

Test(stored, every_record_reads_back_as_it_was)
{
    struct random random = {31};
    unsigned unstored = FIELD_INPUT | FIELD_SECRET | FIELD_DERIVED | FIELD_TRANSIENT;
    for (unsigned i = 0; i < 5500; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        struct record *record = random_record(&random, &arena, schema, unstored), *back;
        buffer_clear(&out);
        record_to_stored(record, &out);
        cr_assert_eq(record_from_stored(&arena, schema, out.data, out.size, &back), OK, "%s",
                     fault_last()->detail);
        cr_assert(record_equal(record, back), "%s %u", schema->name, i);
    }
}

Test(stored, every_frame_reads_back_as_it_was)
{
    struct random random = {32};
    for (unsigned i = 0; i < 5500; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        struct record *record = random_record(&random, &arena, schema, FIELD_SECRET), *back;
        buffer_clear(&out);
        record_to_frame(record, &out);
        cr_assert_eq(record_from_stored(&arena, schema, out.data, out.size, &back), OK);
        cr_assert(record_equal(record, back), "%s %u", schema->name, i);
    }
}

Test(stored, ids_that_the_schema_does_not_know_are_skipped)
{
    struct record *record;
    cr_assert_eq(load(&pose_schema,
                      "82"
                      "07"
                      "9201a161"
                      "cd0100"
                      "80",
                      &record),
                 OK);
    cr_assert_eq(record->present, 0);
}

Test(stored, integers_stand_for_numbers)
{
    struct record *record;
    cr_assert_eq(load(&pose_schema,
                      "81"
                      "00"
                      "93"
                      "01ff"
                      "cb4004000000000000",
                      &record),
                 OK);
    const double *translation = ((struct pose *)(void *)record)->translation;
    cr_assert(translation[0] == 1 && translation[1] == -1 && translation[2] == 2.5);
}

Test(stored, what_is_no_record_is_malformed)
{
    static const struct {
        const char *hex, *why;
    } rows[] = {
        // clang-format off
        {"",                            "nothing"},
        {"90",                          "no map"},
        {"c0",                          "nil"},
        {"81a16101",                    "a name for an id"},
        {"81ff01",                      "a negative id"},
        {"8104",                        "no value"},
        {"8080",                        "two values"},
        {"8100" "01",                   "an integer for a key"},
        {"8101" "c403616263",           "bytes for a text"},
        {"8106" "01",                   "an integer for a bool"},
        {"8107" "cb3ff0000000000000",   "a number for an integer"},
        {"8107" "cfffffffffffffffff",   "an integer beyond int64"},
        {"8109" "a131",                 "a text for a number"},
        {"8109" "cb7ff0000000000000",   "infinity"},
        {"8109" "cb7ff8000000000000",   "not a number"},
        {"810a" "9101",                 "too few numbers"},
        {"810a" "93010101",             "too many numbers"},
        {"810a" "9201a0",               "a text among numbers"},
        {"810a" "01",                   "a number for numbers"},
        {"810b" "a161",                 "a text for texts"},
        {"810b" "9101",                 "a number among texts"},
        {"810c" "90",                   "an array for a record"},
        {"810d" "80",                   "a map for records"},
        {"810d" "91a161",               "a text among records"},
        {"810d" "9181a16101",           "a name in a record of a list"},
        {"dfffffffff",                  "a map of 4294967295"},
        {"810bddffffffff",              "an array of 4294967295"},
        {"8101dbffffffff",              "a text of 4294967295"},
        {"8101d9",                      "no length"},
        {"c1",                          "a byte that begins nothing"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct record *record = NULL;
        cr_assert_eq(load(&sample_schema, rows[i].hex, &record), ERR_MALFORMED, "%s", rows[i].why);
        cr_assert_null(record, "%s", rows[i].why);
    }
}

Test(stored, plain_numbers_are_no_items_where_the_row_does_not_say_so)
{
    struct record *record;
    cr_assert_eq(load(&object_schema, "810e91" ONE, &record), ERR_MALFORMED);
}

Test(stored, what_is_cut_is_malformed_at_every_place)
{
    struct random random = {33};
    struct record *record;
    record_to_stored(random_record(&random, &arena, &sample_schema, 0), &out);
    for (size_t size = 0; size < out.size; size++) {
        char *exact = malloc(size ? size : 1); // the sanitizer sees a byte read behind it
        memcpy(exact, out.data, size);
        cr_assert_eq(record_from_stored(&arena, &sample_schema, exact, size, &record),
                     ERR_MALFORMED, "%zu of %zu", size, out.size);
        free(exact);
    }
}

// Whatever the bytes are: no crash, and memory in proportion.
Test(stored, damaged_bytes_are_read_or_refused)
{
    struct random random = {34};
    size_t read = 0;
    for (unsigned i = 0; i < 20000; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        struct record *record;
        buffer_clear(&out);
        record_to_stored(random_record(&random, &arena, schema, 0), &out);
        for (unsigned damaged = 0; damaged < 3; damaged++)
            out.data[random_below(&random, out.size)] = (char)random_next(&random);
        struct arena into = {0};
        read += record_from_stored(&into, schema, out.data, out.size, &record) == OK;
        cr_assert_lt(into.size, 4096 + 200 * out.size);
        arena_finish(&into);
        arena_finish(&arena);
        arena_init(&arena);
    }
    cr_assert(read > 500 && read < 19500, "%zu were read", read);
}
