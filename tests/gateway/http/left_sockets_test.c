// left_sockets_test.c - which descriptors of a process are connections that were forgotten.
#include "gateway/http/left_sockets.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

struct pair {
    int port, listener, server, client;
};

static struct pair
connect_both(sa_family_t family)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bool is_six = family == AF_INET6;
    struct sockaddr *address =
        is_six ? (struct sockaddr *)(void *)&six : (struct sockaddr *)(void *)&four;
    socklen_t size = is_six ? sizeof six : sizeof four;
    struct pair self = {.listener = socket(family, SOCK_STREAM, 0),
                        .client = socket(family, SOCK_STREAM, 0)};
    cr_assert_eq(bind(self.listener, address, size), 0);
    cr_assert_eq(listen(self.listener, 1), 0);
    cr_assert_eq(getsockname(self.listener, address, &size), 0);
    cr_assert_eq(connect(self.client, address, size), 0);
    self.server = accept(self.listener, NULL, NULL);
    self.port = ntohs(is_six ? six.sin6_port : four.sin_port);
    return self;
}

static bool
is_open(int descriptor)
{
    return fcntl(descriptor, F_GETFD) >= 0;
}

Test(left_sockets, accepted_ones_are_closed_and_the_peer_sees_it)
{
    struct pair pair = connect_both(AF_INET);
    char byte;
    cr_assert_eq(left_sockets_close(pair.port), 1);
    cr_assert_not(is_open(pair.server));
    cr_assert_eq(recv(pair.client, &byte, 1, 0), 0);
}

Test(left_sockets, so_are_those_of_the_other_protocol)
{
    struct pair pair = connect_both(AF_INET6);
    cr_assert_eq(left_sockets_close(pair.port), 1);
    cr_assert_not(is_open(pair.server));
}

Test(left_sockets, listener_and_other_end_and_another_port_stay_open)
{
    struct pair pair = connect_both(AF_INET), other = connect_both(AF_INET);
    cr_assert_eq(left_sockets_close(pair.port), 1);
    cr_assert(is_open(pair.listener));
    cr_assert(is_open(pair.client));
    cr_assert(is_open(other.server));
}

Test(left_sockets, one_on_which_something_was_sent_stays_open)
{
    struct pair pair = connect_both(AF_INET);
    cr_assert_eq(write(pair.server, "x", 1), 1);
    cr_assert_eq(left_sockets_close(pair.port), 0);
    cr_assert(is_open(pair.server));
}
