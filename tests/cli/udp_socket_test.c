// udp_socket_test.c - addresses as people write them, and one datagram over loopback.
#include "tools/cli/udp_socket.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void
assert_no_address(const char *address)
{
    int udp;
    cr_assert_eq(udp_socket_connect(address, &udp), ERR_INVALID, "%s", address);
}

// What one socket sends reaches the other, bound to `host` and called `written` by people.
static void
assert_reaches(const char *host, const char *written)
{
    int in, out;
    uint16_t port;
    char address[64], received[8] = "";
    cr_assert_eq(udp_socket_bind(host, 0, &in, &port), OK);
    snprintf(address, sizeof address, "%s:%u", written, port);
    cr_assert_eq(udp_socket_connect(address, &out), OK);
    cr_assert_eq(write(out, "ping", 4), 4);
    struct pollfd readable = {.fd = in, .events = POLLIN};
    cr_assert_eq(poll(&readable, 1, 10000), 1);
    cr_assert_eq(recv(in, received, sizeof received, 0), 4);
    cr_assert_str_eq(received, "ping");
    close(in);
    close(out);
}

Test(udp_socket, datagram_reaches_an_ipv4_address)
{
    assert_reaches("127.0.0.1", "127.0.0.1");
}

Test(udp_socket, port_in_use_is_unavailable)
{
    int first, second;
    uint16_t port, other;
    cr_assert_eq(udp_socket_bind("127.0.0.1", 0, &first, &port), OK);
    cr_assert_eq(udp_socket_bind("127.0.0.1", port, &second, &other), ERR_UNAVAILABLE);
    close(first);
}

Test(udp_socket, address_is_a_host_and_a_port)
{
    assert_no_address("127.0.0.1");
    assert_no_address(":8762");
    assert_no_address("127.0.0.1:");
    assert_no_address("127.0.0.1:0");
    assert_no_address("127.0.0.1:65536");
    assert_no_address("127.0.0.1:99999");
    assert_no_address("127.0.0.1:http");
    assert_no_address("127.0.0.1:-1");
    assert_no_address("");
}

Test(udp_socket, own_address_is_the_one_towards_a_host)
{
    char address[UDP_SOCKET_ADDRESS_BYTES];
    cr_assert_eq(udp_socket_own_address("127.0.0.1", address), OK);
    cr_assert_str_eq(address, "127.0.0.1");
    cr_assert_eq(udp_socket_own_address("not an address", address), ERR_INVALID);
}
