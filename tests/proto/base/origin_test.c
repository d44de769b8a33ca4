// origin_test.c - the part of an address that limits count by.
#include "proto/base/origin.h"

#include <criterion/criterion.h>

static const char *
origin(const char *peer)
{
    static char chars[ORIGIN_SIZE];
    origin_of(peer, chars);
    return chars;
}

Test(origin, an_ipv4_address_counts_whole)
{
    cr_assert_str_eq(origin("192.0.2.7"), "192.0.2.7");
}

Test(origin, an_ipv6_address_counts_by_its_first_64_bits)
{
    cr_assert_str_eq(origin("2001:db8::1"), "20010db800000000");
    cr_assert_str_eq(origin("2001:db8::ffff:1"), "20010db800000000");
    cr_assert_str_eq(origin("2001:db8:0:1::1"), "20010db800000001");
}

Test(origin, another_text_is_itself)
{
    cr_assert_str_eq(origin("nobody"), "nobody");
}
