// udp_endpoint_test.c - addresses and ports of UDP sockets, as text and as bytes.
#include "actors/udp/udp_endpoint.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static union udp_endpoint
endpoint(int family, const char *address, int port)
{
    union udp_endpoint made;
    cr_assert(udp_endpoint_from(family, address, port, &made), "%s", address);
    return made;
}

static void
assert_text(int family, const char *address, const char *expected)
{
    char text[UDP_ENDPOINT_TEXT_SIZE];
    union udp_endpoint made = endpoint(family, address, 5000);
    cr_assert_str_eq(udp_endpoint_text(&made, text), expected);
    cr_assert_eq(udp_endpoint_port(&made), 5000);
}

Test(udp_endpoint, text_has_address_and_port)
{
    assert_text(AF_INET, "192.0.2.1", "192.0.2.1:5000");
    assert_text(AF_INET6, "2001:db8::1", "[2001:db8::1]:5000");
}

Test(udp_endpoint, a_socket_of_ipv6_reaches_ipv4)
{
    assert_text(AF_INET6, "192.0.2.1", "[::ffff:192.0.2.1]:5000");
}

Test(udp_endpoint, the_longest_text_fits)
{
    char text[UDP_ENDPOINT_TEXT_SIZE];
    union udp_endpoint made = endpoint(AF_INET6, "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff", 65535);
    cr_assert_str_eq(udp_endpoint_text(&made, text),
                     "[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:65535");
}

Test(udp_endpoint, what_the_socket_cannot_reach_is_refused)
{
    union udp_endpoint made = {.any = {.sa_family = AF_UNIX}};
    cr_assert_not(udp_endpoint_from(AF_INET, "2001:db8::1", 1, &made));
    cr_assert_not(udp_endpoint_from(AF_INET, "example.com", 1, &made));
    cr_assert_not(udp_endpoint_from(AF_INET6, "example.com", 1, &made));
    cr_assert_not(udp_endpoint_from(AF_INET6, "", 1, &made));
    cr_assert_eq(made.any.sa_family, AF_UNIX, "nothing is written");
}

Test(udp_endpoint, an_ipv4_address_has_the_bytes_that_it_has_in_ipv6)
{
    static const uint8_t expected[UDP_ENDPOINT_IP_BYTES] = {
        [10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2, [15] = 1};
    uint8_t bytes[UDP_ENDPOINT_IP_BYTES];
    union udp_endpoint v4 = endpoint(AF_INET, "192.0.2.1", 1);
    udp_endpoint_ip(&v4, bytes);
    cr_assert_arr_eq(bytes, expected, sizeof bytes);
    union udp_endpoint mapped = endpoint(AF_INET6, "192.0.2.1", 1);
    udp_endpoint_ip(&mapped, bytes);
    cr_assert_arr_eq(bytes, expected, sizeof bytes);
}

Test(udp_endpoint, its_size_is_that_of_its_family)
{
    union udp_endpoint v4 = endpoint(AF_INET, "192.0.2.1", 1);
    union udp_endpoint v6 = endpoint(AF_INET6, "192.0.2.1", 1);
    cr_assert_eq(udp_endpoint_size(&v4), sizeof(struct sockaddr_in));
    cr_assert_eq(udp_endpoint_size(&v6), sizeof(struct sockaddr_in6));
}

Test(udp_endpoint, equal_are_those_of_one_family_address_and_port)
{
    union udp_endpoint one = endpoint(AF_INET, "192.0.2.1", 5);
    union udp_endpoint same = endpoint(AF_INET, "192.0.2.1", 5);
    union udp_endpoint port = endpoint(AF_INET, "192.0.2.1", 6);
    union udp_endpoint address = endpoint(AF_INET, "192.0.2.2", 5);
    union udp_endpoint family = endpoint(AF_INET6, "192.0.2.1", 5);
    cr_assert(udp_endpoint_equal(&one, &same));
    cr_assert_not(udp_endpoint_equal(&one, &port));
    cr_assert_not(udp_endpoint_equal(&one, &address));
    cr_assert_not(udp_endpoint_equal(&one, &family));
}

// A client that is connected to 127.0.0.2 asks a socket that is bound to all addresses of `family`;
// it hears the answer only if that comes from there.
static void
expect_answer_from_where_it_was_asked(int family)
{
    union udp_endpoint all, asked, source;
    _Alignas(struct cmsghdr) char control[UDP_ENDPOINT_CONTROL_BYTES];
    char byte = 'x';
    socklen_t size = sizeof all.v6;
    int off = 0, server = socket(family, SOCK_DGRAM, 0), client = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(server, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    cr_assert(udp_endpoint_from(family, family == AF_INET ? "0.0.0.0" : "::", 0, &all));
    cr_assert_eq(bind(server, &all.any, udp_endpoint_size(&all)), 0);
    udp_endpoint_listen(server);
    cr_assert_eq(getsockname(server, &all.any, &size), 0);
    cr_assert(udp_endpoint_from(AF_INET, "127.0.0.2", udp_endpoint_port(&all), &asked));
    cr_assert_eq(connect(client, &asked.any, sizeof asked.v4), 0);
    cr_assert_eq(send(client, &byte, 1, 0), 1);

    struct iovec content = {&byte, 1};
    struct msghdr message = {.msg_name = &source,
                             .msg_namelen = sizeof source.v6,
                             .msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    cr_assert_eq(recvmsg(server, &message, 0), 1);
    udp_endpoint_note_local(&source, &message);
    message.msg_namelen = udp_endpoint_size(&source);
    message.msg_controllen = udp_endpoint_control(&source, control);
    cr_assert_gt(message.msg_controllen, 0);
    cr_assert_eq(sendmsg(server, &message, 0), 1);
    struct pollfd heard = {.fd = client, .events = POLLIN};
    cr_assert_eq(poll(&heard, 1, 5000), 1);
    cr_assert_eq(recv(client, &byte, 1, 0), 1);
    close(server);
    close(client);
}

Test(udp_endpoint, what_is_sent_leaves_from_the_address_that_was_asked)
{
    expect_answer_from_where_it_was_asked(AF_INET);
}

Test(udp_endpoint, a_socket_of_both_families_answers_ipv4_from_where_it_was_asked)
{
    expect_answer_from_where_it_was_asked(AF_INET6);
}

Test(udp_endpoint, an_endpoint_that_was_made_from_text_lets_the_kernel_choose)
{
    union udp_endpoint endpoint;
    char control[UDP_ENDPOINT_CONTROL_BYTES];
    cr_assert(udp_endpoint_from(AF_INET, "192.0.2.1", 5000, &endpoint));
    cr_assert_eq(udp_endpoint_control(&endpoint, control), 0);
}
