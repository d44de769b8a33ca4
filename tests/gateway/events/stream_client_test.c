// stream_client_test.c - a client that reads, reads later, reads too slowly, or has left.
#include "gateway/events/stream_client.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20, NOW_MS = 1000, CREDIT_MS = 10000 };

static int ours = -1, theirs = -1;
static struct stream_client client;
static char piece[PIECE_BYTES];

static void
begin(void)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ours = ends[0], theirs = ends[1];
    memset(piece, 'x', sizeof piece);
    cr_assert_eq(stream_client_take(&client, ours), OK);
    close(ours); // the copy is enough
}

static void
end(void)
{
    stream_client_finish(&client);
    close(theirs);
}

TestSuite(stream_client, .init = begin, .fini = end);

static size_t
read_all(void)
{
    static char read[PIECE_BYTES];
    size_t size = 0;
    for (ssize_t got; (got = recv(theirs, read, sizeof read, MSG_DONTWAIT)) > 0;)
        size += (size_t)got;
    return size;
}

Test(stream_client, what_the_socket_does_not_take_is_sent_when_it_has_room)
{
    size_t got = 0;
    cr_assert(stream_client_send(&client, piece, sizeof piece, NOW_MS));
    cr_assert(stream_client_is_behind(&client));
    for (unsigned i = 0; stream_client_is_behind(&client) && i < 1000; i++) {
        got += read_all();
        stream_client_has_room(&client);
        cr_assert(stream_client_go_on(&client));
    }
    cr_assert_eq(got + read_all(), sizeof piece);
    cr_assert_eq(client.left.capacity, 0, "an idle client keeps no buffer");
}

Test(stream_client, client_that_reads_nothing_is_late_when_its_credit_is_used)
{
    cr_assert(stream_client_send(&client, "x", 1, NOW_MS));
    cr_assert_not(stream_client_is_late(&client, NOW_MS + 100 * CREDIT_MS), "all was taken");
    client.passed = 0;
    cr_assert(stream_client_send(&client, piece, sizeof piece, NOW_MS));
    client.passed = 0; // what the kernel keeps earns nothing here
    cr_assert_not(stream_client_is_late(&client, NOW_MS + CREDIT_MS - 1));
    cr_assert(stream_client_is_late(&client, NOW_MS + CREDIT_MS));
}

Test(stream_client, bytes_that_are_taken_extend_the_credit)
{
    cr_assert(stream_client_send(&client, piece, sizeof piece, NOW_MS));
    client.passed = 2 * 65536;
    cr_assert_not(stream_client_is_late(&client, NOW_MS + CREDIT_MS + 1999));
    cr_assert(stream_client_is_late(&client, NOW_MS + CREDIT_MS + 2000));
}

Test(stream_client, one_that_has_left_is_told)
{
    close(theirs);
    theirs = -1;
    cr_assert_not(stream_client_send(&client, "x", 1, NOW_MS));
}

Test(stream_client, without_a_descriptor_there_is_no_stream)
{
    struct stream_client other;
    struct rlimit limit = {0}, none = {0};
    cr_assert_eq(stream_client_take(&other, -1), ERR_MALFORMED, "the peer has left");
    getrlimit(RLIMIT_NOFILE, &limit);
    none.rlim_max = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &none);
    enum error error = stream_client_take(&other, theirs);
    setrlimit(RLIMIT_NOFILE, &limit);
    cr_assert_eq(error, ERR_UNAVAILABLE);
    stream_client_finish(&other);
}
