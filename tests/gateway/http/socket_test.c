// socket_test.c - finds, asks and ends sockets that it does not own.
#include "gateway/http/socket.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int server = -1, client = -1;

static void
connect_both(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(listener, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(listen(listener, 1), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    client = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    server = accept(listener, NULL, NULL);
    cr_assert_geq(server, 0);
    close(listener);
}

static void
close_both(void)
{
    close(server);
    close(client);
}

TestSuite(socket, .init = connect_both, .fini = close_both);

// As a library may keep it: numbers that look like descriptors before, something between.
struct object {
    int numbers[5];
    int descriptor;
    struct sockaddr_in6 local, peer; // room for either family
    char rest[40];
};

static struct object
object_of(int descriptor)
{
    struct object object = {.numbers = {0, 1, 2, server, AF_INET}, .descriptor = descriptor};
    socklen_t size = sizeof object.local;
    cr_assert_eq(getsockname(descriptor, (struct sockaddr *)&object.local, &size), 0);
    size = sizeof object.peer;
    cr_assert_eq(getpeername(descriptor, (struct sockaddr *)&object.peer, &size), 0);
    return object;
}

Test(socket, descriptor_before_its_addresses_is_found)
{
    struct object object = object_of(server);
    cr_assert_eq(socket_find(&object, sizeof object), server);
}

Test(socket, descriptor_before_addresses_of_another_is_not)
{
    struct object object = object_of(server);
    object.descriptor = client;
    cr_assert_eq(socket_find(&object, sizeof object), -1);
}

Test(socket, descriptor_whose_peer_is_another_is_not)
{
    struct object object = object_of(server);
    ((struct sockaddr_in *)(void *)&object.peer)->sin_port ^= 1;
    cr_assert_eq(socket_find(&object, sizeof object), -1);
}

Test(socket, nothing_is_found_beyond_the_object)
{
    struct object object = object_of(server);
    for (size_t size = 0; size < offsetof(struct object, peer); size++)
        cr_assert_eq(socket_find(&object, size), -1, "found in %zu bytes", size);
}

Test(socket, bytes_of_both_directions_are_counted)
{
    char bytes[1000] = {0};
    cr_assert_eq(write(client, bytes, 1000), 1000);
    cr_assert_eq(read(server, bytes, 1000), 1000);
    cr_assert_eq(socket_received(server), 1000);
    cr_assert_eq(socket_acknowledged(server), 0);
    cr_assert_eq(write(server, bytes, 300), 300);
    cr_assert_eq(recv(client, bytes, 300, MSG_WAITALL), 300);
    // The acknowledgement rides on what is sent next.
    cr_assert_eq(write(client, bytes, 1), 1);
    cr_assert_eq(read(server, bytes, 1), 1);
    cr_assert_eq(socket_acknowledged(server), 300);
    cr_assert(!socket_is_owing(server));
}

Test(socket, what_is_no_socket_counts_nothing)
{
    cr_assert_eq(socket_received(STDIN_FILENO), 0);
    cr_assert_eq(socket_acknowledged(STDIN_FILENO), 0);
}

Test(socket, ended_input_can_still_be_answered)
{
    char byte;
    socket_end_input(server);
    cr_assert_eq(read(server, &byte, 1), 0);
    cr_assert_eq(write(server, "x", 1), 1);
    cr_assert_eq(read(client, &byte, 1), 1);
}

Test(socket, ended_socket_delivers_what_was_sent)
{
    char byte;
    cr_assert_eq(write(server, "x", 1), 1);
    socket_end(server);
    cr_assert_eq(read(client, &byte, 1), 1);
    cr_assert_eq(read(client, &byte, 1), 0);
    cr_assert_eq(send(server, "x", 1, MSG_NOSIGNAL), -1);
}

Test(socket, aborted_socket_is_reset_when_it_is_closed)
{
    char byte;
    socket_abort(server);
    cr_assert_eq(read(server, &byte, 1), 0);
    close(server);
    server = -1;
    // The end came first, then the reset.
    cr_assert_leq(read(client, &byte, 1), 0);
    cr_assert_eq(send(client, "x", 1, MSG_NOSIGNAL), -1);
}

// --- files ---

enum { FILE_BYTES = 5 << 20 }; // more than a socket takes at once

static int
file_of_bytes(void)
{
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    for (unsigned i = 0; i < FILE_BYTES; i++)
        putc((int)(i * 7 % 251), file);
    fflush(file);
    return fileno(file);
}

// Reads to the end; the bytes must be those of the file from `first` on. Returns how many.
static void *
read_all(void *first)
{
    unsigned char bytes[4096];
    size_t at = *(size_t *)first, start = at;
    for (ssize_t got; (got = recv(client, bytes, sizeof bytes, 0)) > 0;)
        for (ssize_t i = 0; i < got; i++, at++)
            cr_assert_eq(bytes[i], at * 7 % 251, "byte %zu", at);
    *(size_t *)first = at - start;
    return NULL;
}

Test(socket, part_of_a_file_arrives_whole_by_a_socket_that_never_blocks)
{
    size_t count = 1000;
    pthread_t reader;
    int file = file_of_bytes();
    cr_assert_eq(fcntl(server, F_SETFL, O_NONBLOCK), 0);
    cr_assert_eq(pthread_create(&reader, NULL, read_all, &count), 0);
    cr_expect(socket_send_file(server, file, 1000, FILE_BYTES - 3000));
    shutdown(server, SHUT_WR);
    pthread_join(reader, NULL);
    cr_expect_eq(count, FILE_BYTES - 3000);
}

Test(socket, file_that_is_shorter_than_said_is_a_failure)
{
    size_t count = 0;
    pthread_t reader;
    int file = file_of_bytes();
    cr_assert_eq(pthread_create(&reader, NULL, read_all, &count), 0);
    cr_expect_not(socket_send_file(server, file, 0, FILE_BYTES + 1));
    shutdown(server, SHUT_WR);
    pthread_join(reader, NULL);
    cr_expect_eq(count, FILE_BYTES);
}

Test(socket, file_to_a_peer_that_is_cut_off_is_a_failure)
{
    int file = file_of_bytes();
    signal(SIGPIPE, SIG_IGN);
    socket_abort(server);
    cr_expect_not(socket_send_file(server, file, 0, FILE_BYTES));
}

// As a server library ends its connection: blocking, shut down, closed.
Test(socket, what_ends_the_stand_in_does_not_reach_the_peer)
{
    char byte = 0;
    int stand_in = socket_make_stand_in(), copy = fcntl(server, F_DUPFD_CLOEXEC, 3);
    cr_assert_geq(stand_in, 0);
    cr_assert(socket_replace(server, stand_in));
    fcntl(server, F_SETFL, 0);
    shutdown(server, SHUT_RDWR);
    cr_assert_eq(close(server), 0);
    cr_assert_eq(recv(client, &byte, 1, MSG_DONTWAIT), -1, "the end was sent");
    cr_assert_eq(send(copy, "x", 1, 0), 1);
    cr_assert_eq(recv(client, &byte, 1, 0), 1);
    cr_assert_eq(byte, 'x');
    close(stand_in);
    server = copy;
}
