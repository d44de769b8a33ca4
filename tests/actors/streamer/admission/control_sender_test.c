// control_sender_test.c - one datagram to a device, in the clear or sealed.
#include "actors/streamer/admission/control_sender.h"

#include <criterion/criterion.h>
#include <unistd.h>

static int sender = -1, client = -1;
static union udp_endpoint at;

static void
start(void)
{
    struct timeval patience = {.tv_sec = 5};
    socklen_t size = sizeof at.v4;
    sender = socket(AF_INET, SOCK_DGRAM, 0);
    client = socket(AF_INET, SOCK_DGRAM, 0);
    cr_assert(udp_endpoint_from(AF_INET, "127.0.0.1", 0, &at));
    cr_assert_eq(bind(client, &at.any, size), 0);
    cr_assert_eq(getsockname(client, &at.any, &size), 0);
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

static void
end(void)
{
    close(sender);
    close(client);
}

TestSuite(control_sender, .init = start, .fini = end);

Test(control_sender, without_a_sealer_it_goes_in_the_clear)
{
    char datagram[64];
    cr_assert(control_send(sender, NULL, "{}", 2, &at));
    cr_assert_eq(recv(client, datagram, sizeof datagram, 0), 2);
    cr_assert_arr_eq(datagram, "{}", 2);
}

Test(control_sender, with_one_it_is_sealed_and_counted)
{
    char datagram[64];
    struct device_sealer sealer = {.references = 1};
    static const unsigned char id[SEAL_ID_BYTES] = {7}, key[SEAL_KEY_BYTES] = {9};
    feed_sealer_init(&sealer.sealer, id, key, SEAL_TO_DEVICE);
    cr_assert(control_send(sender, &sealer, "{}", 2, &at));
    cr_assert_eq(recv(client, datagram, sizeof datagram, 0), 41);
    cr_assert(feed_seal_is(datagram, 41));
    cr_assert_eq(sealer.sealer.counter, 1);
}

Test(control_sender, what_the_kernel_refuses_is_told)
{
    union udp_endpoint nowhere;
    cr_assert(udp_endpoint_from(AF_INET, "127.0.0.1", 0, &nowhere)); // port 0
    cr_assert_not(control_send(sender, NULL, "{}", 2, &nowhere));
}
