// receivers_test.c - addresses for a socket's family; receivers that are shared, and paused.

#include "actors/streamer/fanout/receivers.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>

enum { SECOND_US = 1000000 };

static receivers_t *receivers;

static void
start(void)
{
    receivers = receivers_create();
}

static void
end(void)
{
    receivers_destroy(&receivers);
}

TestSuite(receivers, .init = start, .fini = end);

static union udp_endpoint
at(const char *address, int port)
{
    union udp_endpoint endpoint;
    cr_assert(udp_endpoint_from(AF_INET6, address, port, &endpoint));
    return endpoint;
}

static struct receiver *
take(const char *address, int port)
{
    union udp_endpoint endpoint = at(address, port);
    return receivers_take(receivers, &endpoint);
}

static bool
strike(const char *address, int port, uint64_t now_us)
{
    union udp_endpoint endpoint = at(address, port);
    return receivers_note_error(receivers, &endpoint, now_us);
}

Test(receivers, an_ipv4_socket_reaches_ipv4_only)
{
    union udp_endpoint endpoint;
    cr_assert(udp_endpoint_from(AF_INET, "192.0.2.1", 5000, &endpoint));
    cr_assert_eq(udp_endpoint_size(&endpoint), sizeof(struct sockaddr_in));
    cr_assert_eq(endpoint.v4.sin_family, AF_INET);
    cr_assert_eq(ntohs(endpoint.v4.sin_port), 5000);
    cr_assert_eq(ntohl(endpoint.v4.sin_addr.s_addr), 0xc0000201);
    cr_assert(!udp_endpoint_from(AF_INET, "2001:db8::1", 5000, &endpoint));
    cr_assert(!udp_endpoint_from(AF_INET, "", 5000, &endpoint));
}

Test(receivers, an_ipv6_socket_reaches_ipv4_by_mapped_addresses)
{
    union udp_endpoint endpoint;
    char text[INET6_ADDRSTRLEN];
    cr_assert(udp_endpoint_from(AF_INET6, "192.0.2.1", 5000, &endpoint));
    cr_assert_eq(udp_endpoint_size(&endpoint), sizeof(struct sockaddr_in6));
    cr_assert_str_eq(inet_ntop(AF_INET6, &endpoint.v6.sin6_addr, text, sizeof text),
                     "::ffff:192.0.2.1");
    cr_assert(udp_endpoint_from(AF_INET6, "2001:db8::1", 5000, &endpoint));
    cr_assert_eq(ntohs(endpoint.v6.sin6_port), 5000);
    cr_assert(!udp_endpoint_from(AF_INET6, "nonsense", 5000, &endpoint));
}

Test(receivers, devices_at_one_endpoint_share_a_receiver)
{
    struct receiver *first = take("192.0.2.1", 5000), *second = take("192.0.2.1", 5000);
    cr_assert_eq(first, second);
    cr_assert_eq(first->devices, 2);
    receivers_release(receivers, &second);
    cr_assert_null(second);
    cr_assert_eq(first->devices, 1);
}

Test(receivers, receivers_at_one_address_share_it_whatever_their_ports)
{
    struct receiver *first = take("192.0.2.1", 5000), *second = take("192.0.2.1", 5001);
    struct receiver *other = take("192.0.2.2", 5000);
    cr_assert_neq(first, second);
    cr_assert_eq(first->address, second->address);
    cr_assert_neq(first->address, other->address);
}

Test(receivers, a_receiver_that_nobody_has_is_forgotten_with_its_address)
{
    struct receiver *receiver = take("2001:db8::1", 5000);
    receiver->address->budget.bytes_ns = 1;
    receivers_release(receivers, &receiver);
    receiver = take("2001:db8::1", 5000);
    cr_assert_eq(receiver->devices, 1);
    cr_assert_eq(receiver->address->budget.bytes_ns, 0);
}

Test(receivers, the_third_strike_within_ten_seconds_pauses)
{
    struct receiver *receiver = take("192.0.2.1", 5000);
    cr_assert(!strike("192.0.2.1", 5000, 1 * SECOND_US));
    cr_assert(!strike("192.0.2.1", 5000, 6 * SECOND_US));
    cr_assert(!strike("192.0.2.1", 5001, 6 * SECOND_US));
    cr_assert(!receiver->is_paused);
    cr_assert(strike("192.0.2.1", 5000, 11 * SECOND_US));
    cr_assert(receiver->is_paused);
    cr_assert(!strike("192.0.2.1", 5000, 12 * SECOND_US), "it is paused once");
}

Test(receivers, strikes_that_are_far_apart_do_not_add_up)
{
    struct receiver *receiver = take("192.0.2.1", 5000);
    cr_assert(!strike("192.0.2.1", 5000, 1 * SECOND_US));
    cr_assert(!strike("192.0.2.1", 5000, 2 * SECOND_US));
    cr_assert(!strike("192.0.2.1", 5000, 12 * SECOND_US));
    cr_assert(!strike("192.0.2.1", 5000, 13 * SECOND_US));
    cr_assert(!receiver->is_paused);
}

Test(receivers, taking_a_paused_receiver_resumes_it)
{
    struct receiver *receiver = take("192.0.2.1", 5000);
    for (unsigned i = 0; i < RECEIVER_ERRORS; i++)
        strike("192.0.2.1", 5000, 1);
    cr_assert(receiver->is_paused);
    cr_assert_eq(take("192.0.2.1", 5000), receiver);
    cr_assert(!receiver->is_paused);
    cr_assert(!strike("192.0.2.1", 5000, 2));
    cr_assert(!strike("192.0.2.1", 5000, 3));
    cr_assert(strike("192.0.2.1", 5000, 4));
}

Test(receivers, a_strike_at_nobody_does_nothing)
{
    cr_assert(!strike("192.0.2.1", 5000, 1));
}
