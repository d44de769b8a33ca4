// client_address_test.c - the address of a client, directly and through proxies.
#include "gateway/http/client_address.h"

#include <criterion/criterion.h>

static struct caller caller;

static const char *
peer(const char *tcp_peer, const char *proxies, const char *forwarded)
{
    struct http_request request = {.peer = tcp_peer,
                                   .header_count = forwarded ? 1 : 0,
                                   .headers = {{"X-Forwarded-For", forwarded}}};
    caller = (struct caller){0};
    client_address_find(&request, proxies, &caller);
    return caller.peer;
}

Test(client_address, direct_peer_is_the_peer)
{
    cr_assert_str_eq(peer("127.0.0.1", "", NULL), "127.0.0.1");
    cr_assert(caller.loopback);
    cr_assert_str_eq(peer("10.1.2.3", "", NULL), "10.1.2.3");
    cr_assert_not(caller.loopback);
}

Test(client_address, ipv4_inside_ipv6_is_ipv4)
{
    cr_assert_str_eq(peer("::ffff:127.0.0.1", "", NULL), "127.0.0.1");
    cr_assert(caller.loopback);
}

Test(client_address, strangers_name_nobody)
{
    cr_assert_str_eq(peer("10.1.2.3", "10.9.9.9", "8.8.8.8"), "10.1.2.3");
}

Test(client_address, trusted_proxy_names_the_rightmost_stranger)
{
    cr_assert_str_eq(peer("10.0.0.1", "10.0.0.1, 10.0.0.2", "1.1.1.1, 8.8.8.8 ,10.0.0.2"),
                     "8.8.8.8");
}

Test(client_address, forwarded_peer_is_never_loopback)
{
    cr_assert_str_eq(peer("127.0.0.1", "127.0.0.1", "127.0.0.2"), "127.0.0.2");
    cr_assert_not(caller.loopback);
}

Test(client_address, nonsense_ends_the_walk)
{
    cr_assert_str_eq(peer("10.0.0.1", "10.0.0.1", "8.8.8.8, unknown"), "10.0.0.1");
    cr_assert_str_eq(peer("10.0.0.1", "10.0.0.1", ""), "10.0.0.1");
    cr_assert_str_eq(peer("10.0.0.1", "10.0.0.1", ",,"), "10.0.0.1");
    cr_assert_not(caller.loopback);
}

Test(client_address, several_headers_are_one_list)
{
    struct http_request request = {
        .peer = "10.0.0.1",
        .header_count = 2,
        .headers = {{"x-forwarded-for", "8.8.8.8"}, {"X-Forwarded-For", "10.0.0.1"}}};
    client_address_find(&request, "10.0.0.1", &caller);
    cr_assert_str_eq(caller.peer, "8.8.8.8");
}

Test(client_address, a_trusted_proxy_says_that_it_came_by_tls)
{
    struct http_request request = {
        .peer = "10.0.0.1", .header_count = 1, .headers = {{"X-Forwarded-Proto", "https"}}};
    cr_assert(client_address_is_by_tls(&request, "10.0.0.1"));
    cr_assert_not(client_address_is_by_tls(&request, "10.0.0.2"));
    cr_assert_not(client_address_is_by_tls(&request, NULL));
    request.headers[0].value = "http";
    cr_assert_not(client_address_is_by_tls(&request, "10.0.0.1"));
}
