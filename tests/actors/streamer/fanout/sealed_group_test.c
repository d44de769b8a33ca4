// sealed_group_test.c - datagrams of a group, sealed for each of its devices, by real sockets.
#include "actors/streamer/fanout/sealed_group.h"

#include <criterion/criterion.h>
#include <unistd.h>

enum { DEVICES = 2, PATIENCE_S = 5 };

static int sender_socket, sockets[DEVICES];
static union udp_endpoint endpoints[DEVICES];
static unsigned char keys[DEVICES][SEAL_KEY_BYTES] = {{1}, {2}};
static struct feed_sealer sealers[DEVICES];
static struct sealed_group group;
static udp_sender_t *sender;
static struct buffer opened;

static int
open_socket(union udp_endpoint *ret_endpoint)
{
    struct timeval patience = {.tv_sec = PATIENCE_S};
    int opened_socket = socket(AF_INET, SOCK_DGRAM, 0);
    socklen_t size = sizeof ret_endpoint->v4;
    cr_assert(udp_endpoint_from(AF_INET, "127.0.0.1", 0, ret_endpoint));
    cr_assert_eq(bind(opened_socket, &ret_endpoint->any, size), 0);
    cr_assert_eq(getsockname(opened_socket, &ret_endpoint->any, &size), 0);
    setsockopt(opened_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return opened_socket;
}

static void
start(void)
{
    union udp_endpoint own;
    static const unsigned char id[SEAL_ID_BYTES] = {7};
    sender_socket = open_socket(&own);
    sender = udp_sender_create(sender_socket);
    for (int i = 0; i < DEVICES; i++) {
        sockets[i] = open_socket(&endpoints[i]);
        feed_sealer_init(&sealers[i], id, keys[i], SEAL_TO_DEVICE);
    }
}

static void
end(void)
{
    udp_sender_destroy(&sender);
    sealed_group_finish(&group);
    buffer_finish(&opened);
    for (int i = 0; i < DEVICES; i++)
        close(sockets[i]);
    close(sender_socket);
}

TestSuite(sealed_group, .init = start, .fini = end);

// The next datagram of a device is this text, sealed with its key.
static void
expect_next(int device, const char *text, uint64_t counter)
{
    char datagram[2048];
    unsigned char derived[SEAL_KEY_BYTES];
    struct seal_head head;
    ssize_t size = recv(sockets[device], datagram, sizeof datagram, 0);
    cr_assert_eq(size, (ssize_t)strlen(text) + 39);
    cr_assert(feed_seal_read_head(datagram, (size_t)size, &head));
    cr_assert_eq(head.counter, counter);
    feed_seal_derive(keys[device], SEAL_TO_DEVICE, derived);
    buffer_clear(&opened);
    cr_assert(feed_seal_open(derived, datagram, (size_t)size, &opened));
    cr_assert_arr_eq(opened.data, text, strlen(text));
}

Test(sealed_group, each_device_gets_all_datagrams_with_its_own_key)
{
    sealed_group_begin(&group);
    buffer_put_chars(sealed_group_datagram(&group), "one");
    buffer_put_chars(sealed_group_datagram(&group), "three");
    for (int i = 0; i < DEVICES; i++)
        sealed_group_to(&group, &sealers[i], sender, &endpoints[i]);
    udp_sender_send(sender);
    for (int i = 0; i < DEVICES; i++) {
        expect_next(i, "one", 0);
        expect_next(i, "three", 1);
    }
}

Test(sealed_group, more_devices_than_the_sender_holds_are_all_sent_to)
{
    char text[1100];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    uint64_t before = counter_get(COUNT_UDP_OUT_SEALED);
    sealed_group_begin(&group);
    buffer_put_chars(sealed_group_datagram(&group), text);
    for (unsigned i = 0; i < 100; i++) {
        sealed_group_to(&group, &sealers[0], sender, &endpoints[0]);
        if (i % 50 == 49) { // what fits into the buffer of the socket
            udp_sender_send(sender);
            for (unsigned k = i - 49; k <= i; k++)
                expect_next(0, text, k);
        }
    }
    cr_assert_eq(counter_get(COUNT_UDP_OUT_SEALED), before + 100);
}
