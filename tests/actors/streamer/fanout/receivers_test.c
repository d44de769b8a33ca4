// receivers_test.c - receivers that are shared, and paused.

#include "actors/streamer/fanout/receivers.h"

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
note_error(const char *address, int port, uint64_t now_us)
{
    union udp_endpoint endpoint = at(address, port);
    return receivers_note_error(receivers, &endpoint, now_us);
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

Test(receivers, the_third_error_within_ten_seconds_pauses)
{
    struct receiver *receiver = take("192.0.2.1", 5000);
    cr_assert(!note_error("192.0.2.1", 5000, 1 * SECOND_US));
    cr_assert(!note_error("192.0.2.1", 5000, 6 * SECOND_US));
    cr_assert(!note_error("192.0.2.1", 5001, 6 * SECOND_US));
    cr_assert(!receiver->is_paused);
    cr_assert(note_error("192.0.2.1", 5000, 11 * SECOND_US));
    cr_assert(receiver->is_paused);
    cr_assert(!note_error("192.0.2.1", 5000, 12 * SECOND_US), "it is paused once");
}

Test(receivers, errors_that_are_far_apart_do_not_add_up)
{
    struct receiver *receiver = take("192.0.2.1", 5000);
    cr_assert(!note_error("192.0.2.1", 5000, 1 * SECOND_US));
    cr_assert(!note_error("192.0.2.1", 5000, 2 * SECOND_US));
    cr_assert(!note_error("192.0.2.1", 5000, 12 * SECOND_US));
    cr_assert(!note_error("192.0.2.1", 5000, 13 * SECOND_US));
    cr_assert(!receiver->is_paused);
}

Test(receivers, taking_a_paused_receiver_resumes_it)
{
    struct receiver *receiver = take("192.0.2.1", 5000);
    for (unsigned i = 0; i < RECEIVER_ERRORS; i++)
        note_error("192.0.2.1", 5000, 1);
    cr_assert(receiver->is_paused);
    cr_assert_eq(take("192.0.2.1", 5000), receiver);
    cr_assert(!receiver->is_paused);
    cr_assert(!note_error("192.0.2.1", 5000, 2));
    cr_assert(!note_error("192.0.2.1", 5000, 3));
    cr_assert(note_error("192.0.2.1", 5000, 4));
}

Test(receivers, an_error_about_an_unknown_endpoint_does_nothing)
{
    cr_assert(!note_error("192.0.2.1", 5000, 1));
}
