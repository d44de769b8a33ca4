// record_msgpack_test.c - stored, sent and published records, byte by byte, and refusals.
#include "proto/codec/record_msgpack.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/codec/msgpack_scan.h"
#include "proto/codec/record_json.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
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

TestSuite(stored, .fini = finish);
TestSuite(published, .fini = finish);
TestSuite(scan, .fini = finish);
TestSuite(tree, .fini = finish);
TestSuite(pack, .fini = finish);

static struct record *
read_json(const struct schema *schema, const char *chars)
{
    const struct json *value;
    struct record *record;
    cr_assert_eq(json_parse(&arena, chars, strlen(chars), &value), OK);
    cr_assert_eq(record_from_json(&arena, schema, value, "", &record), OK, "%s %s",
                 fault_last()->pointer, fault_last()->detail);
    return record;
}

// The bytes of `out` as lower-case hex.
static void
is_hex(const char *expected)
{
    struct buffer hex = {0};
    for (size_t i = 0; i < out.size; i++)
        buffer_put_format(&hex, "%02x", (unsigned char)out.data[i]);
    buffer_put_char(&hex, '\0');
    cr_assert_str_eq(hex.data, expected);
    buffer_finish(&hex);
}

// Bytes from hex, in the arena.
static const char *
bytes(const char *hex, size_t *ret_size)
{
    *ret_size = strlen(hex) / 2;
    char *data = arena_alloc(&arena, *ret_size + 1);
    for (size_t i = 0; i < *ret_size; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        data[i] = (char)strtoul(digits, NULL, 16);
    }
    return data;
}

static enum error
load(const struct schema *schema, const char *hex, struct record **ret_record)
{
    size_t size;
    const char *data = bytes(hex, &size);
    return record_from_stored(&arena, schema, data, size, ret_record);
}

// --- stored --------------------------------------------------------------------------------------

#define ZERO "cb0000000000000000"
#define ONE "cb3ff0000000000000"

Test(stored, a_pose_is_these_bytes)
{
    record_to_stored(read_json(&pose_schema, "{\"translation\":[1,0,-2.5]}"), &out);
    is_hex("81"
           "00"
           "93" ONE ZERO "cbc004000000000000");
}

Test(stored, a_device_is_these_bytes)
{
    struct record *device = read_json(
        &device_schema, "{\"key\":\"d\",\"hostname\":\"h\",\"port\":8000,"
                        "\"connection_string\":\"\",\"transform\":{\"rotation\":[0,0,1]}}");
    record_set_text(device, DEVICE_ADDRESS, text_from(&arena, "::1"));
    record_to_stored(device, &out);
    is_hex("86"
           "00a164"
           "01a168"
           "02cd1f40"
           "03a0"
           "048101"
           "93" ZERO ZERO ONE "06a33a3a31");
}

Test(stored, a_scene_is_these_bytes)
{
    struct record *scene =
        read_json(&scene_schema, "{\"key\":\"s\",\"latitude\":48.5,\"tags\":[\"a\",\"b\"],"
                                 "\"public\":true,\"active\":false,\"distance\":3,"
                                 "\"devices\":[{\"key\":\"d\"}]}");
    record_set_integer(scene, SCENE_ID, -7);
    record_to_stored(scene, &out);
    is_hex("86"
           "00a173"
           "03cb4048400000000000"
           "08c2"
           "07c3"
           "0692a161a162"
           "0ff9");
}

Test(stored, a_property_with_an_action_is_these_bytes)
{
    record_to_stored(read_json(&property_edit_schema,
                               "{\"key\":\"k\",\"name\":\"g\",\"frame\":-1,"
                               "\"values\":[1,{\"value\":1,\"left_type\":\"t\"}],"
                               "\"actions\":[{\"name\":\"walk\",\"description\":\"d\","
                               "\"keyframes\":[{\"frame\":-2,\"values\":[1]}]}]}"),
                     &out);
    is_hex("85"
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
    record_to_stored(read_json(&object_keyframe_edit_schema,
                               "{\"frame\":1,\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"
                               "\"scale_handle\":[{\"left_x\":1}],\"scale\":[2,2,2]}"),
                     &out);
    is_hex("83"
           "0001"
           "0adc0010" ONE ZERO ZERO ZERO ZERO ONE ZERO ZERO ZERO ZERO ONE ZERO ZERO ZERO ZERO ONE
           "0e918101" ONE);
}

Test(stored, an_object_is_these_bytes)
{
    record_to_stored(
        read_json(&object_edit_schema,
                  "{\"key\":\"k\",\"name\":\"cube\",\"frame\":-1,\"timestamp\":1700000000,"
                  "\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],\"assets\":[\"a\"],"
                  "\"scale_handle\":[{\"left_x\":1}],\"scale\":[2,2,2]}"),
        &out);
    is_hex("87"
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
    record_to_stored(read_json(&sample_schema, "{\"values\":[1,{\"value\":1}]}"), &out);
    is_hex("81"
           "0d92" ONE "8100" ONE);
}

Test(stored, members_for_requests_answers_and_secrets_are_left_out)
{
    struct record *record = record_new(&arena, &sample_schema);
    for (unsigned id = SAMPLE_SECRET; id <= SAMPLE_REQUEST_ONLY; id++)
        record_set_text(record, id, text_from(&arena, "x"));
    record_set_text(record, SAMPLE_INTERNAL, text_from(&arena, "y"));
    record_to_stored(record, &out);
    is_hex("82"
           "04a178"
           "10a179");
}

Test(stored, a_frame_leaves_out_secrets_only)
{
    struct record *record = record_new(&arena, &sample_schema);
    for (unsigned id = SAMPLE_SECRET; id <= SAMPLE_REQUEST_ONLY; id++)
        record_set_text(record, id, text_from(&arena, "x"));
    record_to_frame(record, &out);
    is_hex("83"
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

// --- published -----------------------------------------------------------------------------------

Test(published, a_map_has_names_and_aliases)
{
    static const struct view view = {.fields = FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_COUNT) |
                                               FIELD_BIT(SAMPLE_STAMP),
                                     .aliases = true};
    record_to_published(read_json(&sample_schema, "{\"name\":\"n\",\"count\":2}"), &view, &out);
    is_hex("83"
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

// --- scan ----------------------------------------------------------------------------------------

static enum error
scan_hex(const char *hex)
{
    size_t size;
    const char *data = bytes(hex, &size);
    return msgpack_scan(data, size);
}

Test(scan, one_value_of_every_form_is_fine)
{
    static const char *const good[] = {
        "00",
        "7f",
        "e0",
        "ff",
        "c0",
        "c2",
        "c3",
        "80",
        "90",
        "a0",
        "a161",
        "9101",
        "810102",
        "c400",
        "c40161",
        "c5000161",
        "c60000000161",
        "c70005",
        "c70105aa",
        "c8000105aa",
        "c90000000105aa",
        "ca00000000",
        "cb0000000000000000",
        "cc01",
        "cd0001",
        "ce00000001",
        "cf0000000000000001",
        "d001",
        "d10001",
        "d200000001",
        "d30000000000000001",
        "d405aa",
        "d505aaaa",
        "d605aaaaaaaa",
        "d705aaaaaaaaaaaaaaaa",
        "d805aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "d90161",
        "da000161",
        "db0000000161",
        "dc000101",
        "dd0000000101",
        "de00010102",
        "df000000010102",
        "9290a0",
        "82a0808090",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cr_assert_eq(scan_hex(good[i]), OK, "%s: %s", good[i], fault_last()->detail);
    }
}

Test(scan, every_form_that_is_cut_or_followed_is_refused)
{
    static const char *const bad[] = {
        "",           "c1",         "91",           "81",
        "8101",       "a1",         "c4",           "c401",
        "c500",       "c6000000",   "c7",           "c70105",
        "ca000000",   "cb00",       "cc",           "cd00",
        "ce000000",   "cf",         "d4",           "d405",
        "d805aa",     "d9",         "d90261",       "da00",
        "db000000",   "dc00",       "dc0001",       "dd000000",
        "de0001",     "df00000001", "df0000000101", "0000",
        "c0c0",       "9001",       "a16161",       "ddffffffff",
        "dfffffffff", "dbffffffff", "c6ffffffff",   "c9ffffffff05",
        "dcffff",     "deffff",     "92ddffffffff",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(scan_hex(bad[i]), ERR_MALFORMED, "%s", bad[i]);
}

Test(scan, the_depth_ends_at_32)
{
    struct record *record;
    for (size_t depth = 1; depth <= 34; depth++) {
        const struct json *value;
        buffer_clear(&out);
        for (size_t i = 1; i < depth; i++)
            msgpack_put_array(&out, 1);
        msgpack_put_array(&out, 0);
        enum error expected = depth <= LIMIT_JSON_DEPTH ? OK : ERR_MALFORMED;
        cr_assert_eq(msgpack_scan(out.data, out.size), expected, "%zu", depth);
        cr_assert_eq(msgpack_to_json(&arena, out.data, out.size, &value), expected, "%zu", depth);
        cr_assert_eq(record_from_stored(&arena, &pose_schema, out.data, out.size, &record),
                     ERR_MALFORMED);
    }
}

Test(scan, a_header_of_five_bytes_takes_no_memory)
{
    const struct json *value;
    size_t size;
    const char *data = bytes("ddffffffff", &size);
    struct arena into = {0};
    cr_assert_eq(msgpack_to_json(&into, data, size, &value), ERR_MALFORMED);
    cr_assert_leq(into.size, 64);
    arena_finish(&into);
}

// --- trees ---------------------------------------------------------------------------------------

static const struct json *
tree_of(const char *hex)
{
    size_t size;
    const struct json *value;
    const char *data = bytes(hex, &size);
    cr_assert_eq(msgpack_to_json(&arena, data, size, &value), OK, "%s", fault_last()->detail);
    return value;
}

Test(tree, every_type_comes_with_its_value)
{
    const struct json *value = tree_of("99"
                                       "c0"
                                       "c3"
                                       "05"
                                       "ff"
                                       "cb4004000000000000"
                                       "ca3fc00000"
                                       "a161"
                                       "c40162"
                                       "81a16e90");
    cr_assert_eq(value->count, 9);
    cr_assert_eq(value->items[0].type, JSON_NULL);
    cr_assert(value->items[1].type == JSON_BOOL && value->items[1].boolean);
    cr_assert(value->items[2].type == JSON_INTEGER && value->items[2].integer == 5);
    cr_assert(value->items[3].type == JSON_INTEGER && value->items[3].integer == -1);
    cr_assert(value->items[4].type == JSON_NUMBER && value->items[4].number == 2.5);
    cr_assert(value->items[5].type == JSON_NUMBER && value->items[5].number == 1.5);
    cr_assert(value->items[6].type == JSON_TEXT && text_is(value->items[6].text, "a"));
    cr_assert(value->items[7].type == JSON_TEXT && text_is(value->items[7].text, "b"));
    cr_assert_eq(json_find(&value->items[8], "n")->type, JSON_ARRAY);
}

Test(tree, an_integer_beyond_int64_is_a_number)
{
    cr_assert_eq(tree_of("cf7fffffffffffffff")->integer, INT64_MAX);
    cr_assert_eq(tree_of("cfffffffffffffffff")->type, JSON_NUMBER);
    cr_assert_eq(tree_of("cfffffffffffffffff")->number, 18446744073709551616.0);
}

Test(tree, an_integer_key_comes_as_its_digits)
{
    cr_assert_eq(json_find(tree_of("8110c3"), "16")->boolean, true);
    cr_assert_eq(json_find(tree_of("81cfffffffffffffffffc3"), "18446744073709551615")->boolean,
                 true);
}

Test(tree, what_json_does_not_have_is_malformed)
{
    static const char *const bad[] = {"81c001", "d405aa", "cb7ff0000000000000", "ca7fc00000",
                                      "9181c0c0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        size_t size;
        const struct json *value;
        const char *data = bytes(bad[i], &size);
        cr_assert_eq(msgpack_to_json(&arena, data, size, &value), ERR_MALFORMED, "%s", bad[i]);
    }
}

Test(tree, texts_outlive_the_bytes)
{
    char data[] = "\xa4"
                  "cube";
    const struct json *value;
    cr_assert_eq(msgpack_to_json(&arena, data, 5, &value), OK);
    memset(data, 0, sizeof data);
    cr_assert(text_is(value->text, "cube"));
}

// --- packing -------------------------------------------------------------------------------------

Test(pack, primitives_are_these_bytes)
{
    msgpack_put_map(&out, 2);
    msgpack_put_array(&out, 16);
    msgpack_put_text(&out, "a", 1);
    msgpack_put_bytes(&out, "\xff", 1);
    msgpack_put_integer(&out, -129);
    msgpack_put_unsigned(&out, UINT64_MAX);
    msgpack_put_number(&out, 1);
    msgpack_put_bool(&out, true);
    msgpack_put_bool(&out, false);
    is_hex("82"
           "dc0010"
           "a161"
           "c401ff"
           "d1ff7f"
           "cfffffffffffffffff" ONE "c3"
           "c2");
}
