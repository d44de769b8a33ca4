// pub_connections_test.c - connections that want nothing or are too many end; others stay.
#include "actors/streamer/pub/pub_connections.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COUNT = 4, IDLE_MS = 30000 };

static struct pub_connections connections;
static int clients[COUNT], servers[COUNT];

static void
begin(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(listener, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(listen(listener, COUNT), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    pub_connections_init(&connections);
    for (int i = 0; i < COUNT; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM, 0);
        cr_assert_eq(connect(clients[i], (struct sockaddr *)&address, size), 0);
        servers[i] = accept(listener, NULL, NULL);
        pub_connections_accepted(&connections, servers[i], 1000);
    }
    close(listener);
}

static void
end(void)
{
    pub_connections_finish(&connections);
    for (int i = 0; i < COUNT; i++) {
        close(clients[i]);
        close(servers[i]);
    }
}

TestSuite(pub_connections, .init = begin, .fini = end);

static bool
has_ended(int index)
{
    char byte;
    return recv(clients[index], &byte, 1, MSG_DONTWAIT) == 0;
}

Test(pub_connections, what_wants_nothing_for_long_ends_once)
{
    pub_connections_subscribed(&connections, servers[1]);
    cr_assert_eq(pub_connections_trim(&connections, 0, IDLE_MS, 1000 + IDLE_MS - 1), 0);
    cr_assert_eq(pub_connections_trim(&connections, 0, IDLE_MS, 1000 + IDLE_MS), COUNT - 1);
    cr_assert_eq(pub_connections_trim(&connections, 0, IDLE_MS, 1000 + IDLE_MS), 0);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(has_ended(i), i != 1, "%d", i);
}

Test(pub_connections, the_newest_beyond_the_most_end)
{
    cr_assert_eq(pub_connections_trim(&connections, 2, IDLE_MS, 1000), 2);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(has_ended(i), i >= 2, "%d", i);
    pub_connections_ended(&connections, servers[3]);
    cr_assert_eq(connections.count, COUNT - 1);
}

Test(pub_connections, another_socket_under_the_same_descriptor_is_spared)
{
    cr_assert_eq(dup2(servers[0], servers[3]), servers[3]);
    cr_assert_eq(pub_connections_trim(&connections, 3, IDLE_MS, 1000), 1);
    cr_expect_not(has_ended(0));
}

// Until the kernel takes no more, so bytes wait.
static size_t
fill(int index)
{
    static const char bytes[65536];
    size_t all = 0;
    for (ssize_t size; (size = send(servers[index], bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
        all += (size_t)size;
    return all;
}

static void
drain(int index)
{
    static char bytes[65536];
    while (recv(clients[index], bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
}

Test(pub_connections, of_those_that_take_nothing_the_newest_beyond_the_most_end)
{
    for (int i = 1; i < COUNT; i++)
        fill(i);
    cr_assert_eq(pub_connections_end_stalled(&connections, 1, 2000, 2000), 0);
    drain(1);
    fill(1);
    cr_assert_eq(pub_connections_end_stalled(&connections, 1, 2000, 3999), 0);
    cr_assert_eq(pub_connections_end_stalled(&connections, 1, 2000, 4000), 1);
    cr_assert_eq(pub_connections_end_stalled(&connections, 1, 2000, 5000), 0);
    drain(3);
    cr_expect(has_ended(3));
    drain(2);
    cr_expect_not(has_ended(2));
    cr_expect_not(has_ended(1));
}

static size_t
end_heavy(size_t queue, size_t bytes)
{
    return pub_connections_end_heavy(&connections,
                                     &(struct pub_connections_limits){queue, SIZE_MAX, bytes});
}

static void
sent(unsigned count, size_t bytes)
{
    for (unsigned i = 0; i < count; i++)
        pub_connections_sent(&connections, bytes);
}

Test(pub_connections, of_those_that_take_nothing_all_end_for_which_too_much_waits)
{
    enum { QUEUE = 1000, MOST = 4 << 20, LARGE = 1 << 20 };
    fill(1);
    fill(2);
    cr_assert_eq(end_heavy(QUEUE, MOST), 0);
    sent(4, LARGE);
    cr_assert_eq(end_heavy(QUEUE, MOST), 0);
    drain(2); // what waited for it is over
    sent(1, LARGE);
    cr_assert_eq(end_heavy(QUEUE, MOST), 1);
    cr_assert_eq(end_heavy(QUEUE, MOST), 0);
    drain(1);
    cr_expect(has_ended(1));
    for (int i = 0; i < COUNT; i++)
        cr_expect(i == 1 || !has_ended(i), "%d", i);
}

Test(pub_connections, no_more_messages_wait_than_the_queue_takes)
{
    enum { QUEUE = 1000, MOST = 4 << 20, SMALL = 4096 };
    fill(1);
    cr_assert_eq(end_heavy(QUEUE, MOST), 0);
    sent(100000, SMALL);
    cr_assert_eq(end_heavy(QUEUE, MOST), 0);
    sent(1, 2 * SMALL);
    cr_assert_eq(end_heavy(QUEUE, MOST), 1);
}

Test(pub_connections, while_too_many_messages_wait_for_all_those_end_for_which_the_most_wait)
{
    enum { SIZE = 100, LEFT = 500 };
    struct pub_connections_limits limits = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    fill(1);
    fill(2);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 0);
    unsigned count = (unsigned)(fill(3) / SIZE) + LEFT; // the newest has taken all but a few
    sent(count, SIZE);
    limits.messages = count + LEFT + 1;
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 1);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 0);
    for (int i = 1; i < COUNT; i++)
        drain(i);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(has_ended(i), i == 2, "%d", i);
}

Test(pub_connections, what_the_kernel_has_taken_does_not_wait_in_zeromq)
{
    static const char bytes[262144];
    const int room = 4096;
    const struct pub_connections_limits limits = {10000, 0, SIZE_MAX};
    cr_assert_eq(setsockopt(clients[1], SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    cr_assert_gt(send(servers[1], bytes, sizeof bytes, MSG_DONTWAIT), 0);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 0);
    sent((unsigned)(fill(1) / 1024), 1024);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 0);
    sent(1, 1024);
    sent(1, 1024);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 1);
}

Test(pub_connections, who_has_room_in_the_kernel_is_spared_whatever_others_are_sent)
{
    static const char bytes[65536];
    const int small = 4096, large = 1 << 20;
    const struct pub_connections_limits limits = {10000, 0, SIZE_MAX};
    cr_assert_eq(setsockopt(clients[1], SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    cr_assert_eq(setsockopt(servers[1], SOL_SOCKET, SO_SNDBUF, &large, sizeof large), 0);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 0);
    cr_assert_gt(send(servers[1], bytes, sizeof bytes, MSG_DONTWAIT), 0);
    cr_assert_gt(send(servers[1], bytes, sizeof bytes / 2, MSG_DONTWAIT), 0);
    sent(10000, 1024);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 0);
    fill(1);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 0);
    sent(10000, 1024);
    cr_assert_eq(pub_connections_end_heavy(&connections, &limits), 1);
}

// Rates: sockets as ZeroMQ has them, which send each segment at once.

enum { RATE = 10000 }; // bytes a second

static bool
is_joining(int index)
{
    int no_delay = -1;
    socklen_t size = sizeof no_delay;
    getsockopt(servers[index], IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
    return no_delay == 0;
}

static void
begin_at_rates(void)
{
    int on = 1;
    for (int i = 0; i < COUNT; i++)
        setsockopt(servers[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pub_connections_sent(&connections, RATE); // of which nobody wants anything
    pub_connections_join(&connections, RATE, 1000);
}

// What all are sent, of which those from `first` on are given all.
static void
give(int first, size_t size)
{
    static const char bytes[RATE];
    pub_connections_sent(&connections, size);
    for (int i = first; i < COUNT; i++)
        cr_assert_eq(send(servers[i], bytes, size, 0), (ssize_t)size);
}

Test(pub_connections, segments_are_joined_for_those_alone_that_are_given_much)
{
    begin_at_rates();
    give(2, RATE / 10);
    pub_connections_join(&connections, RATE, 1100);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(is_joining(i), i >= 2, "%d", i);
    cr_expect_eq(connections.joining, 2);
}

Test(pub_connections, segments_are_not_joined_any_more_when_less_is_given)
{
    begin_at_rates();
    give(2, RATE / 10);
    pub_connections_join(&connections, RATE, 1100);
    give(3, RATE / 10);
    pub_connections_join(&connections, RATE, 1200);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(is_joining(i), i == 3, "%d", i);
    pub_connections_join(&connections, RATE, 1300);
    cr_expect_not(is_joining(3));
    cr_expect_eq(connections.joining, 0);
}

Test(pub_connections, what_was_given_in_a_long_time_is_not_much)
{
    begin_at_rates();
    for (unsigned i = 1; i <= 20; i++) {
        give(0, RATE / 10);
        pub_connections_join(&connections, RATE, 1000 + i * 101); // a little less than the rate
    }
    give(1, RATE / 10);
    pub_connections_join(&connections, RATE, 3120);
    for (int i = 0; i < COUNT; i++)
        cr_expect_not(is_joining(i), "%d", i);
}

Test(pub_connections, segments_of_another_socket_under_the_same_descriptor_are_not_joined)
{
    begin_at_rates();
    give(2, RATE / 10);
    cr_assert_eq(dup2(servers[2], servers[3]), servers[3]);
    pub_connections_ended(&connections, servers[2]);
    pub_connections_join(&connections, RATE, 1100);
    cr_expect_not(is_joining(2));
}
