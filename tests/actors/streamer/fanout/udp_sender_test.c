// udp_sender_test.c - groups by real sockets: what was sent arrives, whichever receiver is missing.

#include "actors/streamer/fanout/udp_sender.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "actors/udp/icmp_errors.h"

enum { PATIENCE_MS = 5000 };

static int output;
static udp_sender_t *sender;
static int sockets[2];
static union udp_endpoint endpoints[2];

static int
open_socket(union udp_endpoint *ret_endpoint)
{
    int buffer = 8 << 20, opened = socket(AF_INET, SOCK_DGRAM, 0);
    socklen_t size = sizeof ret_endpoint->v4;
    cr_assert(udp_endpoint_from(AF_INET, "127.0.0.1", 0, ret_endpoint));
    setsockopt(opened, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    cr_assert_eq(bind(opened, &ret_endpoint->any, size), 0);
    cr_assert_eq(getsockname(opened, &ret_endpoint->any, &size), 0);
    return opened;
}

static void
start(void)
{
    union udp_endpoint own;
    output = open_socket(&own);
    icmp_errors_listen(output);
    sender = udp_sender_create(output);
    for (int i = 0; i < 2; i++)
        sockets[i] = open_socket(&endpoints[i]);
}

static void
end(void)
{
    udp_sender_destroy(&sender);
    close(output);
    for (int i = 0; i < 2; i++)
        close(sockets[i]);
}

TestSuite(udp_sender, .init = start, .fini = end);

// A datagram of `size` bytes that begins with its number.
static void
write_datagram(unsigned number, size_t size)
{
    struct buffer *datagram = udp_sender_datagram(sender);
    buffer_put_format(datagram, "%06u", number);
    while (datagram->size < size)
        buffer_put_char(datagram, 'x');
}

static void
expect_datagram(int socket, unsigned number, size_t size)
{
    static char content[65536];
    struct pollfd waiting = {.fd = socket, .events = POLLIN};
    cr_assert_eq(poll(&waiting, 1, PATIENCE_MS), 1, "nothing came");
    ssize_t got = recv(socket, content, sizeof content - 1, 0);
    content[6] = '\0';
    cr_assert_eq(atoi(content), number);
    cr_assert_eq(got, size);
}

Test(udp_sender, datagrams_of_all_sizes_arrive_whole_and_in_order)
{
    // Runs of one size, each ended by a smaller or a larger one.
    static const size_t sizes[] = {1200, 1200, 1200, 700, 900, 900, 1200, 8000, 8000, 1, 7, 7};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    uint64_t sent = counter_get(COUNT_UDP_OUT_PACKED);
    udp_sender_begin(sender, COUNT_UDP_OUT_PACKED);
    for (unsigned i = 0; i < COUNT; i++)
        write_datagram(i, sizes[i]);
    for (int i = 0; i < 2; i++)
        udp_sender_to(sender, &endpoints[i]);
    udp_sender_send(sender);
    for (int i = 0; i < 2; i++)
        for (unsigned j = 0; j < COUNT; j++)
            expect_datagram(sockets[i], j, sizes[j] < 6 ? 6 : sizes[j]);
    cr_assert_eq(counter_get(COUNT_UDP_OUT_PACKED) - sent, 2 * COUNT);
}

Test(udp_sender, the_largest_group_of_the_packed_form_arrives)
{
    udp_sender_begin(sender, COUNT_UDP_OUT_PACKED);
    for (unsigned i = 0; i < GROUP_DATAGRAMS; i++)
        write_datagram(i, 1200);
    udp_sender_to(sender, &endpoints[0]);
    udp_sender_send(sender);
    for (unsigned i = 0; i < GROUP_DATAGRAMS; i++)
        expect_datagram(sockets[0], i, 1200);
}

Test(udp_sender, many_groups_in_one_batch_keep_their_order)
{
    enum { GROUPS = 1000 };
    for (unsigned i = 0; i < GROUPS; i++) {
        udp_sender_begin(sender, COUNT_UDP_OUT);
        write_datagram(i, 100);
        udp_sender_to(sender, &endpoints[i % 2]);
    }
    udp_sender_send(sender);
    for (unsigned i = 0; i < GROUPS; i++)
        expect_datagram(sockets[i % 2], i, 100);
}

Test(udp_sender, receivers_that_are_not_there_cost_the_others_nothing)
{
    enum { TIMES = 200 };
    uint64_t failed = counter_get(COUNT_UDP_OUT_FAILED);
    close(sockets[1]);
    for (unsigned i = 0; i < TIMES; i++) {
        udp_sender_begin(sender, COUNT_UDP_OUT);
        write_datagram(i, 100);
        udp_sender_to(sender, &endpoints[1]);
        udp_sender_to(sender, &endpoints[0]);
        udp_sender_to(sender, &endpoints[1]);
    }
    udp_sender_send(sender);
    for (unsigned i = 0; i < TIMES; i++)
        expect_datagram(sockets[0], i, 100);
    cr_assert_eq(counter_get(COUNT_UDP_OUT_FAILED), failed);
    sockets[1] = dup(sockets[0]);
}

Test(udp_sender, a_datagram_that_nobody_can_send_is_counted_and_the_others_leave)
{
    uint64_t failed = counter_get(COUNT_UDP_OUT_FAILED);
    union udp_endpoint nowhere = endpoints[0];
    nowhere.v4.sin_port = 0; // EINVAL
    udp_sender_begin(sender, COUNT_UDP_OUT);
    write_datagram(1, 100);
    udp_sender_to(sender, &endpoints[0]);
    udp_sender_to(sender, &nowhere);
    udp_sender_to(sender, &endpoints[1]);
    udp_sender_send(sender);
    expect_datagram(sockets[0], 1, 100);
    expect_datagram(sockets[1], 1, 100);
    cr_assert_eq(counter_get(COUNT_UDP_OUT_FAILED) - failed, 1);
}
