// record_msgpack_trees_test.c - trees of JSON from msgpack, and values as msgpack, byte by byte.
#include <criterion/criterion.h>
#include <string.h>

#include "proto/codec/json_text.h"
#include "proto/codec/record_msgpack.h"
#include "tests/support/hex.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(tree, .fini = finish);
TestSuite(pack, .fini = finish);

#define ONE "cb3ff0000000000000"

static const struct json *
tree_of(const char *hex)
{
    size_t size;
    const struct json *value;
    const char *data = hex_bytes(&arena, hex, &size);
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
        const char *data = hex_bytes(&arena, bad[i], &size);
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
    hex_expect(&out, "82"
                     "dc0010"
                     "a161"
                     "c401ff"
                     "d1ff7f"
                     "cfffffffffffffffff" ONE "c3"
                     "c2");
}
