// destination_address_test.c - which addresses may be sent to, and which are proven. What is denied
// has its rows in destinations_test.c.

#include "proto/feed/destination_address.h"

#include <criterion/criterion.h>
#include <sys/socket.h>

Test(destination_address, a_mapped_address_is_read_as_ipv4)
{
    struct destination_address read;
    cr_assert(destination_address_read("::ffff:192.0.2.1", &read));
    cr_assert_eq(read.family, AF_INET);
    cr_assert_arr_eq(read.bytes, ((unsigned char[4]){192, 0, 2, 1}), 4);
    cr_assert(!destination_address_read("127.1", &read));
}

Test(destination_address, what_is_denied_is_said_in_words)
{
    struct destination_address read;
    cr_assert(destination_address_read("224.0.0.1", &read));
    cr_assert_str_eq(destination_address_refusal(&read, true), "a multicast address");
    cr_assert(destination_address_read("127.0.0.1", &read));
    cr_assert_str_eq(destination_address_refusal(&read, false), "a loopback address");
    cr_assert_null(destination_address_refusal(&read, true));
}

Test(destination_address, the_peers_own_address_is_proven)
{
    cr_expect(destination_address_is_proven("192.0.2.1", "192.0.2.1", ""));
    cr_expect(destination_address_is_proven("192.0.2.1", "::ffff:192.0.2.1", ""));
    cr_expect(destination_address_is_proven("2001:db8::1", "2001:db8:0::1", ""));
    cr_expect(!destination_address_is_proven("192.0.2.2", "192.0.2.1", ""));
    cr_expect(!destination_address_is_proven("192.0.2.1", "", ""));
    cr_expect(!destination_address_is_proven("", "", ""));
}

Test(destination_address, an_address_of_a_trusted_network_is_proven)
{
    static const char networks[] = "10.0.0.0/8, 192.0.2.64/26,198.51.100.7,2001:db8::/33";
    static const char *const inside[] = {"10.255.0.1", "192.0.2.64", "192.0.2.127", "198.51.100.7",
                                         "2001:db8:7fff::1"};
    static const char *const outside[] = {"11.0.0.1", "192.0.2.63", "192.0.2.128", "198.51.100.8",
                                          "2001:db8:8000::1"};
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
        cr_expect(destination_address_is_proven(inside[i], "203.0.113.1", networks), "%s",
                  inside[i]);
        cr_expect(!destination_address_is_proven(outside[i], "203.0.113.1", networks), "%s",
                  outside[i]);
    }
    cr_expect(destination_address_is_proven("192.0.2.1", "203.0.113.1", "0.0.0.0/0"));
    cr_expect(!destination_address_is_proven("2001:db8::1", "203.0.113.1", "0.0.0.0/0"));
}
