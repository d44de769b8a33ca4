// msgpack_scan_test.c - lengths and depths of msgpack, looked at before anything is allocated.
#include "proto/codec/msgpack_scan.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/limits.h"

#define SCAN(bytes) msgpack_scan(bytes, sizeof(bytes) - 1)

Test(msgpack_scan, one_value_of_every_kind_passes)
{
    cr_expect_eq(SCAN("\x07"), OK);                                 // a small integer
    cr_expect_eq(SCAN("\xc0"), OK);                                 // nil
    cr_expect_eq(SCAN("\xcb\x40\x14\x00\x00\x00\x00\x00\x00"), OK); // 5.0
    cr_expect_eq(SCAN("\xa3"
                      "abc"),
                 OK);
    cr_expect_eq(SCAN("\xc4\x02\x00\xff"), OK);      // bytes
    cr_expect_eq(SCAN("\x92\x01\x81\xa1k\xc3"), OK); // [1, {"k": true}]
}

Test(msgpack_scan, nothing_is_no_value)
{
    cr_expect_eq(msgpack_scan("", 0), ERR_MALFORMED);
}

Test(msgpack_scan, bytes_after_the_value_are_malformed)
{
    cr_expect_eq(SCAN("\xc0\xc0"), ERR_MALFORMED);
}

Test(msgpack_scan, every_beginning_of_a_value_is_malformed)
{
    static const char value[] = "\x82\xa1"
                                "a\xcd\x01\x02\xa1"
                                "b\x93\x01\xc4\x02\x00\xff\xc0";
    cr_assert_eq(msgpack_scan(value, sizeof value - 1), OK);
    for (size_t size = 0; size < sizeof value - 1; size++)
        cr_expect_eq(msgpack_scan(value, size), ERR_MALFORMED, "%zu bytes", size);
}

Test(msgpack_scan, a_header_that_claims_more_than_there_is_is_malformed)
{
    cr_expect_eq(SCAN("\xdd\xff\xff\xff\xff"), ERR_MALFORMED);     // an array
    cr_expect_eq(SCAN("\xdf\xff\xff\xff\xff\x01"), ERR_MALFORMED); // a map
    cr_expect_eq(SCAN("\xdb\xff\xff\xff\xff\x61"), ERR_MALFORMED); // a text
}

Test(msgpack_scan, the_byte_that_the_format_never_uses_is_malformed)
{
    cr_expect_eq(SCAN("\xc1"), ERR_MALFORMED);
}

Test(msgpack_scan, arrays_may_be_as_deep_as_json_and_no_deeper)
{
    char nested[LIMIT_JSON_DEPTH + 2];
    memset(nested, 0x91, sizeof nested); // arrays of one item
    nested[LIMIT_JSON_DEPTH] = 0x01;
    cr_expect_eq(msgpack_scan(nested, LIMIT_JSON_DEPTH + 1), OK);
    nested[LIMIT_JSON_DEPTH] = (char)0x91;
    nested[LIMIT_JSON_DEPTH + 1] = 0x01;
    cr_expect_eq(msgpack_scan(nested, LIMIT_JSON_DEPTH + 2), ERR_MALFORMED);
}
