// cbor_tree_test.c - CBOR documents as trees: values (examples of RFC 8949, appendix A), order, and
// documents that are broken or mean harm.
#include "proto/codec/cbor_tree.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/codec/json_tree.h"
#include "tests/support/hex.h"

static struct arena arena;
static struct buffer out;

static void
end(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(cbor_tree, .fini = end);

static enum error
parse_hex(const char *hex, const struct json **ret_value)
{
    size_t size;
    const char *bytes = hex_bytes(&arena, hex, &size);
    return cbor_parse(&arena, bytes, size, ret_value);
}

// The document as JSON.
static void
expect(const char *hex, const char *json)
{
    const struct json *value;
    cr_assert_eq(parse_hex(hex, &value), OK, "%s: %s", hex, fault_last()->detail);
    buffer_clear(&out);
    cr_assert(json_tree_put(&out, value, 100000));
    buffer_put_char(&out, '\0');
    cr_expect_str_eq(out.data, json, "%s", hex);
}

static void
refused(const char *hex)
{
    const struct json *value = NULL;
    cr_expect_eq(parse_hex(hex, &value), ERR_MALFORMED, "%s", hex);
    cr_expect_null(value);
}

Test(cbor_tree, numbers)
{
    expect("00", "0");
    expect("17", "23");
    expect("1818", "24");
    expect("1903e8", "1000");
    expect("1a000f4240", "1000000");
    expect("1b000000e8d4a51000", "1000000000000");
    expect("1b7fffffffffffffff", "9223372036854775807");
    expect("20", "-1");
    expect("3863", "-100");
    expect("3b7fffffffffffffff", "-9223372036854775808");
    expect("f93c00", "1.0");
    expect("f90001", "5.960464477539063e-08");
    expect("fa47c35000", "100000.0");
    expect("fb3ff199999999999a", "1.1");
    expect("fbc010666666666666", "-4.1");
}

Test(cbor_tree, integers_beyond_64_bits_with_sign_are_the_nearest_numbers)
{
    const struct json *value;
    cr_assert_eq(parse_hex("1bffffffffffffffff", &value), OK);
    cr_expect_eq(value->type, JSON_NUMBER);
    cr_expect_eq(value->number, 18446744073709551615.0);
    cr_expect(json_tree_is_rounded(value));
    cr_assert_eq(parse_hex("3bffffffffffffffff", &value), OK);
    cr_expect_eq(value->number, -18446744073709551616.0);
}

Test(cbor_tree, what_json_has_no_word_for_is_null)
{
    expect("f6", "null");
    expect("f7", "null");
    expect("4401020304", "null"); // a byte string
    expect("f97e00", "null");     // NaN
    expect("f97c00", "null");     // infinity
    expect("fbfff0000000000000", "null");
}

Test(cbor_tree, texts_arrays_and_maps)
{
    expect("f4", "false");
    expect("f5", "true");
    expect("60", "\"\"");
    expect("6161", "\"a\"");
    expect("62c3bc", "\"\303\274\"");
    expect("80", "[]");
    expect("8301820203820405", "[1,[2,3],[4,5]]");
    expect("a0", "{}");
    expect("a26161016162820203", "{\"a\":1,\"b\":[2,3]}");
    expect("826161a161626163", "[\"a\",{\"b\":\"c\"}]");
    expect("83a080a0", "[{},[],{}]");
}

Test(cbor_tree, containers_whose_end_is_marked)
{
    expect("9fff", "[]");
    expect("9f018202039f0405ffff", "[1,[2,3],[4,5]]");
    expect("83019f0203ff820405", "[1,[2,3],[4,5]]");
    expect("bf61610161629f0203ffff", "{\"a\":1,\"b\":[2,3]}");
    expect("826161bf61626163ff", "[\"a\",{\"b\":\"c\"}]");
    expect("bfff", "{}");
}

Test(cbor_tree, tags_are_passed_over)
{
    expect("c11a514b67b0", "1363896240");
    expect("d9d9f7a16161c101", "{\"a\":1}");
}

Test(cbor_tree, more_items_than_a_stack_holds_at_first)
{
    char bytes[1003] = {(char)0x99, 0x03, (char)0xe8};
    const struct json *value;
    cr_assert_eq(cbor_parse(&arena, bytes, sizeof bytes, &value), OK);
    cr_assert_eq(value->count, 1000);
    cr_assert_eq(value->items[999].type, JSON_INTEGER);
}

Test(cbor_tree, what_is_cut_or_goes_on_is_malformed)
{
    static const char *const rows[] = {
        "",       "18", "19ff",   "1b00", "61",   "62c3", "81",   "8201",   "a1",
        "a16161", "9f", "bf6161", "c1",   "0001", "8080", "a000", "fb3ff1",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refused(rows[i]);
}

Test(cbor_tree, what_is_no_document_is_malformed)
{
    static const char *const rows[] = {
        "ff",       // an end of nothing
        "81ff",     // of an array that is counted
        "bf6161ff", // between a name and its value
        "a10102",   // names that are no texts
        "a18001",
        "a1a001",
        "bf9fff01ff",
        "a1f601",
        "a2616101616102", // the same name twice
        "62ffff",         // no UTF-8
        "62c328",
        "7f6161ff", // a text in chunks
        "5f4101ff",
        "1c",
        "1f",
        "f0",
        "f8ff",
        "fc",
        "3e",
        "dd", // words that are reserved
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refused(rows[i]);
}

// Nothing is allocated for what a document says that it has.
Test(cbor_tree, counts_that_lie_are_malformed)
{
    refused("9bffffffffffffffff");
    refused("bbffffffffffffffff");
    refused("9b7fffffffffffffff00");
    refused("9a7fffffff00");
    refused("7bffffffffffffffff61");
    refused("5bffffffffffffffff61");
    refused("bb800000000000000000"); // twice as many values would be none
}

static void
nest(char byte, size_t depth, char *bytes)
{
    memset(bytes, byte, depth);
    bytes[depth] = 0;
}

Test(cbor_tree, what_is_nested_too_deep_is_malformed)
{
    static char bytes[16384];
    const struct json *value;
    nest((char)0x81, LIMIT_JSON_DEPTH, bytes);
    cr_expect_eq(cbor_parse(&arena, bytes, LIMIT_JSON_DEPTH + 1, &value), OK);
    nest((char)0x81, LIMIT_JSON_DEPTH + 1, bytes);
    cr_expect_eq(cbor_parse(&arena, bytes, LIMIT_JSON_DEPTH + 2, &value), ERR_MALFORMED);
    nest((char)0x9f, sizeof bytes - 1, bytes);
    cr_expect_eq(cbor_parse(&arena, bytes, sizeof bytes, &value), ERR_MALFORMED);
    nest((char)0xc1, sizeof bytes - 1, bytes); // tags nest nothing
    cr_expect_eq(cbor_parse(&arena, bytes, sizeof bytes, &value), OK);
}

Test(cbor_tree, more_than_4096_values_are_too_large)
{
    static char bytes[16384];
    const struct json *value;
    memset(bytes, 0, sizeof bytes);
    bytes[0] = (char)0x99;
    bytes[1] = 0x10;
    bytes[2] = 0x00;
    cr_expect_eq(cbor_parse(&arena, bytes, 3 + 4096, &value), OK);
    bytes[2] = 0x01;
    cr_expect_eq(cbor_parse(&arena, bytes, 3 + 4097, &value), ERR_TOO_LARGE);
}
