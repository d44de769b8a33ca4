// feed_packed_test.c - packed datagrams, written and read. Byte by byte they are in
// tests/golden/packed.jsonl.

#include "proto/feed/feed_packed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/codec/record_json.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/spatial/transform_bytes.h"
#include "tests/support/samples.h"

enum { ROUNDS = 3000 };

#define EVERYTHING UINT64_MAX
#define CUBE "5b98880a270698496c36e392"

static struct arena arena;
static struct feed_packed packed;
static struct buffer out;

static void
start(void)
{
    arena_init(&arena);
    buffer_init(&out);
    packed = (struct feed_packed){0};
}

static void
end(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
    feed_packed_finish(&packed);
}

TestSuite(feed_packed, .init = start, .fini = end);

static const struct record *
record_of(const struct schema *schema, const char *json)
{
    const struct json *tree;
    struct record *record;
    cr_assert_eq(json_parse(&arena, json, strlen(json), &tree), OK);
    cr_assert_eq(record_from_json(&arena, schema, tree, "", &record), OK);
    return record;
}

// Adds a change; the record is frozen meanwhile.
static bool
add(uint8_t msg_type, const struct record *loose, uint64_t members)
{
    const frozen_t *record = record_freeze(loose->schema, loose);
    struct event event = {.record = record, .msg_type = msg_type};
    bool added = feed_packed_add(&packed, &event, members);
    record_unref(&record);
    return added;
}

static void
add_json(uint8_t msg_type, const char *json, uint64_t members)
{
    bool is_property = strcmp(event_noun(msg_type), "property") == 0;
    const struct record *record = record_of(is_property ? &property_schema : &object_schema, json);
    cr_assert(add(msg_type, record, members));
}

static void
close_as(uint64_t prev, uint64_t seq)
{
    feed_packed_close(&packed, 3, prev, seq, &out);
    cr_assert_leq(out.size, PACKED_DATAGRAM_BYTES);
}

// Hex with blanks between the bytes.
static void
expect_hex(const char *expected)
{
    struct buffer hex = {0};
    for (size_t i = 0; i < out.size; i++)
        buffer_put_format(&hex, i ? " %02x" : "%02x", (unsigned char)out.data[i]);
    buffer_put_char(&hex, '\0');
    cr_expect_str_eq(hex.data, expected);
    buffer_finish(&hex);
}

static struct feed_packed_datagram
read_back(void)
{
    struct feed_packed_datagram datagram;
    cr_assert_eq(feed_packed_read(&arena, out.data, out.size, &datagram), OK, "%s",
                 fault_last()->detail);
    return datagram;
}

// The only change of the datagram in `out`.
static const struct json *
change_back(void)
{
    struct feed_packed_datagram datagram = read_back();
    cr_assert_eq(datagram.changes->count, 1);
    return &datagram.changes->items[0];
}

Test(feed_packed, an_index_stands_beside_the_key_and_then_in_its_place)
{
    const struct record *loose = record_of(&property_schema, "{\"key\":\"k2\",\"values\":[1.5]}");
    const frozen_t *record = record_freeze(loose->schema, loose);
    struct event event = {.record = record, .msg_type = EVENT_PROPERTY_UPDATED};
    uint64_t values = FIELD_BIT(PROPERTY_VALUES);
    cr_assert(feed_packed_add_named(&packed, &event, values, &(struct packed_name){1843, true}));
    cr_assert(feed_packed_add_named(&packed, &event, values, &(struct packed_name){1843, false}));
    record_unref(&record);
    close_as(1842, 1843);
    expect_hex("96 01 03 cd 07 32 cd 07 33 02 92"
               " 94 09 a2 6b 32 81 10 91 cb 3f f8 00 00 00 00 00 00 cd 07 33"
               " 93 09 cd 07 33 81 10 91 cb 3f f8 00 00 00 00 00 00");
    struct feed_packed_datagram datagram = read_back();
    const struct json *told = &datagram.changes->items[0], *after = &datagram.changes->items[1];
    cr_expect(text_is(json_find(told, "key")->text, "k2"));
    cr_expect_eq(json_find(told, "index")->integer, 1843);
    cr_expect_null(json_find(after, "key"));
    cr_expect_eq(json_find(after, "index")->integer, 1843);
}

// --- filling
// --------------------------------------------------------------------------------------

static const char moved[] =
    "{\"key\":\"" CUBE "\",\"transform\":[1,0,0,5, 0,1,0,6, 0,0,1,7, 0,0,0,1]}";

Test(feed_packed, a_datagram_holds_fourteen_moved_objects)
{
    const struct record *object = record_of(&object_schema, moved);
    int count = 0;
    while (add(EVENT_OBJECT_UPDATED, object, FIELD_BIT(OBJECT_TRANSFORM)))
        count++;
    cr_expect_eq(count, 14);
    close_as(0, 14);
    cr_expect_eq(read_back().changes->count, 14);
    cr_expect(add(EVENT_OBJECT_UPDATED, object, FIELD_BIT(OBJECT_TRANSFORM)), "it is empty again");
}

Test(feed_packed, the_largest_header_leaves_room_for_a_full_datagram)
{
    const struct record *object = record_of(&object_schema, "{\"key\":\"k\"}");
    while (add(EVENT_OBJECT_DELETED, object, 0))
        ;
    feed_packed_close(&packed, UINT64_MAX, UINT64_MAX, UINT64_MAX, &out);
    cr_expect_leq(out.size, PACKED_DATAGRAM_BYTES);
    cr_expect_gt(out.size, PACKED_DATAGRAM_BYTES - 5);
}

Test(feed_packed, a_delete_has_its_key_alone)
{
    add_json(EVENT_PROPERTY_DELETED, "{\"key\":\"p\",\"name\":\"n\",\"values\":[1.0]}", EVERYTHING);
    close_as(1, 2);
    const struct json *change = change_back();
    cr_expect_eq(change->count, 2);
    cr_expect(text_is(json_find(change, "key")->text, "p"));
    cr_expect_eq(json_find(change, "msg_type")->integer, 11);
}

static const char *
object_with(const char *key, int assets, int name_bytes)
{
    struct buffer json = {0};
    buffer_put_format(&json, "{\"key\":\"%s\",\"frame\":7,\"type\":\"Mesh\",\"assets\":[", key);
    for (int i = 0; i < assets; i++)
        buffer_put_format(&json, "%s\"%024d\"", i ? "," : "", i);
    buffer_put_format(&json, "],\"name\":\"%0*d\"}", name_bytes, 0);
    const struct text *text = text_new(&arena, json.data, json.size);
    buffer_finish(&json);
    return text_chars(text);
}

Test(feed_packed, assets_go_before_texts_where_a_change_is_too_large)
{
    add_json(EVENT_OBJECT_UPDATED, object_with("k", LIMIT_ASSETS, 8),
             feed_packed_difference(NULL, record_of(&object_schema, object_with("k", 1, 8))));
    close_as(1, 2);
    const struct json *change = change_back();
    cr_expect_null(json_find(change, "assets"));
    cr_expect(text_is(json_find(change, "name")->text, "00000000"));
    cr_expect(text_is(json_find(change, "type")->text, "Mesh"));
    cr_expect(json_find(change, "truncated")->boolean);
}

Test(feed_packed, the_name_goes_where_it_alone_is_too_large)
{
    add_json(EVENT_OBJECT_UPDATED, object_with("k", 0, 4000), EVERYTHING);
    close_as(1, 2);
    const struct json *change = change_back();
    cr_expect_null(json_find(change, "name"));
    cr_expect_eq(json_find(change, "frame")->integer, 7);
    cr_expect(text_is(json_find(change, "type")->text, "Mesh"));
    cr_expect(json_find(change, "truncated")->boolean);
}

Test(feed_packed, texts_go_one_by_one_where_they_are_too_large_together)
{
    struct buffer json = {0};
    buffer_put_format(&json,
                      "{\"key\":\"k\",\"type\":\"%0500d\",\"subtype\":\"%0500d\","
                      "\"name\":\"%0500d\"}",
                      0, 0, 0);
    buffer_put_char(&json, '\0');
    add_json(EVENT_OBJECT_UPDATED, json.data, EVERYTHING);
    buffer_finish(&json);
    close_as(1, 2);
    const struct json *change = change_back();
    cr_expect_null(json_find(change, "assets"));
    cr_expect_null(json_find(change, "subtype"));
    cr_expect_eq(text_size(json_find(change, "type")->text), 500);
    cr_expect_eq(text_size(json_find(change, "name")->text), 500);
}

Test(feed_packed, what_fits_into_a_datagram_of_its_own_is_not_truncated)
{
    const struct record *large = record_of(&object_schema, object_with("k", 30, 100));
    add_json(EVENT_OBJECT_UPDATED, object_with("j", 20, 8), EVERYTHING);
    cr_expect(!add(EVENT_OBJECT_UPDATED, large, EVERYTHING));
    close_as(1, 2);
    cr_expect(add(EVENT_OBJECT_UPDATED, large, EVERYTHING));
    close_as(2, 3);
    cr_expect_null(json_find(change_back(), "truncated"));
    cr_expect_eq(json_find(change_back(), "assets")->count, 30);
}

// --- differences
// ----------------------------------------------------------------------------------

Test(feed_packed, a_difference_is_of_the_members_that_changed)
{
    const struct record *before = record_of(&object_schema, "{\"key\":\"k\",\"name\":\"a\","
                                                            "\"owner\":\"d\",\"frame\":1}");
    const struct record *after = record_of(&object_schema, "{\"key\":\"k\",\"name\":\"b\","
                                                           "\"frame\":1,\"timestamp\":0}");
    cr_expect_eq(feed_packed_difference(before, after),
                 FIELD_BIT(OBJECT_NAME) | FIELD_BIT(OBJECT_OWNER) | FIELD_BIT(OBJECT_TIMESTAMP));
    cr_expect_eq(feed_packed_difference(after, after), 0);
}

Test(feed_packed, from_nothing_all_that_is_there_differs)
{
    const struct record *after =
        record_of(&property_schema, "{\"key\":\"k\",\"scene\":\"s\",\"values\":[1.0]}");
    cr_expect_eq(feed_packed_difference(NULL, after),
                 FIELD_BIT(PROPERTY_SCENE) | FIELD_BIT(PROPERTY_VALUES));
}

Test(feed_packed, actions_and_handles_never_differ)
{
    const struct record *before = record_of(&object_schema, "{\"key\":\"k\"}");
    const struct record *after = record_of(
        &object_schema, "{\"key\":\"k\",\"actions\":[{\"name\":\"walk\"}],"
                        "\"scale_handle\":[{\"left_x\":1.0},{\"left_x\":1.0},{\"left_x\":1.0}]}");
    cr_expect_eq(feed_packed_difference(before, after), 0);
}

Test(feed_packed, tags_extras_and_visible_are_told_and_taken_back)
{
    const struct record *before = record_of(
        &object_schema, "{\"key\":\"k\",\"tags\":[\"a\"],\"extras\":{\"x\":[1]},\"visible\":true}");
    const struct record *after =
        record_of(&object_schema, "{\"key\":\"k\",\"visible\":false,\"extras\":{\"x\":[2]}}");
    uint64_t changed = feed_packed_difference(before, after);
    cr_expect_eq(changed,
                 FIELD_BIT(OBJECT_TAGS) | FIELD_BIT(OBJECT_EXTRAS) | FIELD_BIT(OBJECT_VISIBLE));
    cr_assert(add(EVENT_OBJECT_UPDATED, after, changed));
    close_as(1, 2);
    expect_hex("96 01 03 01 02 01 91 93 01 a1 6b 83"
               " 12 c0 13 81 a1 78 91 02 14 c2");
    cr_expect_eq(json_find(json_find(change_back(), "extras"), "x")->items[0].integer, 2);
}

Test(feed_packed, extras_that_are_too_large_are_left_out)
{
    struct buffer json = {0};
    buffer_put_format(&json, "{\"key\":\"k\",\"name\":\"n\",\"extras\":\"%01500d\"}", 0);
    buffer_put_char(&json, '\0');
    add_json(EVENT_OBJECT_UPDATED, json.data, EVERYTHING);
    buffer_finish(&json);
    close_as(1, 2);
    cr_expect_null(json_find(change_back(), "extras"));
    cr_expect(text_is(json_find(change_back(), "name")->text, "n"));
    cr_expect(json_find(change_back(), "truncated")->boolean);
}

// --- there and back
// -------------------------------------------------------------------------------

static bool
is_told_as_absent(const struct field *field, const struct json *value)
{
    if (field->flags & FIELD_OPTIONAL)
        return value->type == JSON_NULL;
    return value->type == JSON_TEXT ? text_size(value->text) == 0
                                    : value->type == JSON_ARRAY && value->count == 0;
}

// Random matrices are hardly ever affine, so they come back to the bit.
static void
expect_change(const struct record *record, uint64_t members, const struct json *change)
{
    struct record *again;
    cr_assert_eq(record_from_json(&arena, record->schema, change, "", &again), OK, "%s",
                 fault_last()->detail);
    bool truncated = json_find(change, "truncated") != NULL;
    uint64_t differences = record_differences(record, again);
    for (uint32_t i = 0; i < record->schema->count; i++) {
        const struct field *field = &record->schema->fields[i];
        const struct json *value = json_find(change, field->name);
        if (!(members & FIELD_BIT(field->id)))
            cr_assert(!value || field->id == ENTITY_KEY, "%s", field->name);
        else if (!value)
            cr_assert(truncated, "%s", field->name);
        else if (record_has(record, field->id))
            cr_assert(!(differences & FIELD_BIT(field->id)), "%s", field->name);
        else
            cr_assert(is_told_as_absent(field, value), "%s", field->name);
    }
}

static void
go_there_and_back(struct random *random, const struct schema *schema, uint8_t msg_type,
                  uint64_t always)
{
    struct record *record = random_record(random, &arena, schema, 0);
    record_set_text(record, ENTITY_KEY, text_from(&arena, "k1"));
    struct record *whole = record_new(&arena, schema);
    whole->present = UINT64_MAX;
    uint64_t members = random_next(random) & feed_packed_difference(NULL, whole);
    cr_assert(add(msg_type, record, members));
    close_as(1, 2);
    expect_change(record, members | always, change_back());
}

Test(feed_packed, random_entities_come_back)
{
    struct random random = {7};
    for (int i = 0; i < ROUNDS; i++) {
        go_there_and_back(&random, &object_schema, EVENT_OBJECT_UPDATED, 0);
        go_there_and_back(&random, &property_schema, EVENT_PROPERTY_UPDATED, 0);
        go_there_and_back(&random, &object_schema, EVENT_OBJECT_ACTION_UPDATED,
                          FIELD_BIT(ENTITY_ACTIONS));
        go_there_and_back(&random, &property_schema, EVENT_PROPERTY_KEYFRAME_UPDATED,
                          FIELD_BIT(ENTITY_ACTIONS));
        arena_finish(&arena);
    }
}

Test(feed_packed, places_in_order_come_back)
{
    close_as(41, 1ull << 40);
    struct feed_packed_datagram datagram = read_back();
    cr_expect_eq(datagram.epoch, 3);
    cr_expect_eq(datagram.prev, 41);
    cr_expect_eq(datagram.seq, 1ull << 40);
    cr_expect_eq(datagram.changes->count, 0);
}

// --- what is no datagram
// --------------------------------------------------------------------------

static enum error
read_hex(const char *hex)
{
    struct feed_packed_datagram datagram;
    buffer_clear(&out);
    for (char *at = (char *)(uintptr_t)hex; *at;)
        buffer_put_char(&out, (char)strtoul(at, &at, 16));
    return feed_packed_read(&arena, out.data, out.size, &datagram);
}

Test(feed_packed, what_is_no_datagram_is_malformed)
{
    static const char *const bad[] = {
        "",                                                // nothing
        "90",                                              // no header
        "95 01 03 01 02 00",                               // no changes
        "96 02 03 01 02 00 90",                            // another version
        "96 01 ff 01 02 00 90",                            // a negative epoch
        "96 01 03 01 02 01 90",                            // a count that is wrong
        "96 01 03 01 02 00 90 00",                         // something behind it
        "96 01 03 01 02 00 80",                            // no array of changes
        "96 01 03 01 02 01 91 92 01 a1 6b",                // a change without fields
        "96 01 03 01 02 01 91 93 1f a1 6b 80",             // of no type
        "96 01 03 01 02 01 91 93 01 c3 80",                // a key that is neither text nor index
        "96 01 03 01 02 01 91 93 01 00 80",                // an index that none has
        "96 01 03 01 02 01 91 93 01 a1 ff 80",             // a key that is no UTF-8
        "96 01 03 01 02 01 91 93 01 a1 6b 90",             // fields that are none
        "96 01 03 01 02 01 91 93 01 a1 6b 81 01 01",       // a name that is a number
        "96 01 03 01 02 01 91 93 01 a1 6b 81 0a 90",       // a transform that is a list
        "96 01 03 01 02 01 91 93 01 a1 6b 81 0a c4 01 00", // a transform of a byte
        "96 01 03 01 02 01 91 93 01 a1 6b 81 0b a1 61",    // assets that are a text
        "96 01 03 01 02 01 91 93 09 a1 6b 81 10 91 a1 61", // a value that is a text
        "96 01 03 01 02 01 91 93 01 a1 6b 82 01 a0 01 a0", // a field twice
        "96 01 03 01 02 01 91 93 01 a1 6b 81 00 a1 6c",    // a second key
        "96 01 03 01 02 01 91 93 01 a1 6b 81 13 a1 ff",    // extras that are no UTF-8
        "96 01 03 01 02 01 dd ff ff ff ff",                // more than there is
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_eq(read_hex(bad[i]), ERR_MALFORMED, "%s", bad[i]);
}

Test(feed_packed, what_a_later_version_adds_is_skipped)
{
    cr_assert_eq(read_hex("97 01 03 01 02 01 91 94 01 a1 6b 82 3e a1 61 01 a1 62 c0 c0"), OK);
    const struct json *change = change_back();
    cr_expect_eq(change->count, 3);
    cr_expect(text_is(json_find(change, "name")->text, "b"));
}

Test(feed_packed, more_than_a_datagram_is_malformed)
{
    struct feed_packed_datagram datagram;
    buffer_put_chars(&out, "\x96\x01\x03\x01\x02");
    buffer_put_char(&out, 0);
    buffer_put_chars(&out, "\xdc\x04\xb0");
    while (out.size <= PACKED_DATAGRAM_BYTES)
        buffer_put_char(&out, (char)0xc0);
    cr_expect_eq(feed_packed_read(&arena, out.data, out.size, &datagram), ERR_MALFORMED);
}
