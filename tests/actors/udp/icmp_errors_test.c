// icmp_errors_test.c - ICMP errors about datagrams to ports without a socket, by real sockets.

#include "actors/udp/icmp_errors.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <poll.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

static mailbox_t *sender, *streamer;

static void
start(void)
{
    cr_assert_eq(mailbox_create("test", false, &sender), OK);
    cr_assert_eq(mailbox_create("streamer", true, &streamer), OK);
}

static void
end(void)
{
    mailbox_destroy(&sender);
    mailbox_destroy(&streamer);
}

TestSuite(icmp_errors, .init = start, .fini = end);

static int
open_socket(int family, const char *address, union udp_endpoint *ret_endpoint)
{
    int off = 0, opened = socket(family, SOCK_DGRAM, 0);
    socklen_t size = sizeof *ret_endpoint;
    if (family == AF_INET6)
        setsockopt(opened, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    cr_assert(udp_endpoint_from(family, address, 0, ret_endpoint));
    if (bind(opened, &ret_endpoint->any, udp_endpoint_size(ret_endpoint)) != 0)
        cr_skip_test("no such address here");
    cr_assert_eq(getsockname(opened, &ret_endpoint->any, &size), 0);
    return opened;
}

// Sends a datagram from `from` to a port of `family` without a socket: the streamer must get
// exactly this error.
static void
expect_unreachable(int family, const char *from, const char *to)
{
    union udp_endpoint own, gone;
    char said[UDP_ENDPOINT_TEXT_SIZE], expected[UDP_ENDPOINT_TEXT_SIZE];
    int udp_socket = open_socket(family, from, &own);
    icmp_errors_listen(udp_socket);
    close(open_socket(family, to, &gone));
    sendto(udp_socket, "x", 1, 0, &gone.any, udp_endpoint_size(&gone));
    struct pollfd waiting = {.fd = udp_socket};
    cr_assert_eq(poll(&waiting, 1, PATIENCE_MS), 1);
    icmp_errors_forward(udp_socket, sender);
    struct message *message = mailbox_receive(streamer, PATIENCE_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, UNREACHABLE);
    cr_assert_eq(icmp_errors_of(message)->count, 1);
    cr_assert_str_eq(udp_endpoint_text(&icmp_errors_of(message)->items[0], said),
                     udp_endpoint_text(&gone, expected));
    message_destroy(&message);
    close(udp_socket);
}

Test(icmp_errors, nobody_at_an_ipv4_address)
{
    expect_unreachable(AF_INET, "127.0.0.1", "127.0.0.1");
}

Test(icmp_errors, nobody_at_an_ipv6_address)
{
    expect_unreachable(AF_INET6, "::1", "::1");
}

Test(icmp_errors, nobody_at_an_ipv4_address_of_a_socket_for_both)
{
    expect_unreachable(AF_INET6, "::", "127.0.0.1");
}

Test(icmp_errors, where_nothing_came_back_nothing_is_said)
{
    union udp_endpoint own;
    int udp_socket = open_socket(AF_INET, "127.0.0.1", &own);
    icmp_errors_listen(udp_socket);
    sendto(udp_socket, "x", 1, 0, &own.any, udp_endpoint_size(&own));
    icmp_errors_forward(udp_socket, sender);
    cr_assert_null(mailbox_receive(streamer, 0));
    close(udp_socket);
}
