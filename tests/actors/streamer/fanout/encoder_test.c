// encoder_test.c - how many datagrams a group has, and what answers are made of. Whole turns with
// real receivers are in delivery_test.c.

#include "actors/streamer/fanout/encoder.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "proto/message/metrics.h"
#include "tests/support/fed_devices.h"

static struct arena arena;
static struct config config;
static struct encoder encoder;
static subscribers_t *subscribers;
static int udp_socket;

static void
start(void)
{
    arena_init(&arena);
    udp_socket = socket(AF_INET, SOCK_DGRAM, 0);
    encoder_init(&encoder, &config, udp_socket, 3);
    subscribers = subscribers_create();
}

static void
end(void)
{
    subscribers_destroy(&subscribers);
    fed_devices_end();
    encoder_finish(&encoder);
    close(udp_socket);
    arena_finish(&arena);
}

TestSuite(encoder, .init = start, .fini = end);

static struct subscriber *
admit(const char *key, enum feed_form form)
{
    struct subscriber *device = fed_device(7, key);
    subscribers_admit(subscribers, device, 7, 0,
                      &(struct lane_key){.form = form, .rate_hz = form == FEED_PACKED});
    return device;
}

Test(encoder, a_group_is_smaller_the_more_devices_there_are)
{
    struct subscriber *plain = admit("a", FEED_PLAIN), *packed = admit("b", FEED_PACKED);
    cr_expect_eq(encoder_group(plain->lane), 4);
    cr_expect_eq(encoder_group(packed->lane), 48);
    plain->lane->device_count = packed->lane->device_count = 20000;
    cr_expect_eq(encoder_group(plain->lane), 1);
    cr_expect_eq(encoder_group(packed->lane), 4);
    plain->lane->device_count = packed->lane->device_count = 1;
}

Test(encoder, each_answer_is_counted_by_its_kind)
{
    size_t bytes;
    struct subscriber *device = admit("a", FEED_PACKED);
    uint64_t busy = counter_get(COUNT_UDP_ASKED_BUSY), old = counter_get(COUNT_UDP_ASKED_OLD),
             sent = counter_get(COUNT_UDP_ASKED_SENT);
    device->lane->sent = 9;
    subscriber_traffic(device)->asked = (struct asked){.from = 5, .to = 6, .bytes = 90};
    encoder_begin(&encoder, device->lane);
    cr_expect_eq(encoder_answer(&encoder, device, true, &bytes), 1);
    cr_expect_eq(counter_get(COUNT_UDP_ASKED_BUSY), busy + 1);
    cr_expect_eq(encoder_answer(&encoder, device, false, &bytes), 1);
    cr_expect_eq(counter_get(COUNT_UDP_ASKED_OLD), old + 1);
    cr_expect_eq(bytes, 11, "97 01 03 09 09 00 90 93 40 05 00");
    device->traffic->asked.from = 10;
    cr_expect_eq(encoder_answer(&encoder, device, false, &bytes), 1);
    cr_expect_eq(counter_get(COUNT_UDP_ASKED_SENT), sent + 1);
    cr_expect_eq(bytes, 7, "96 01 03 09 09 00 90");
}

Test(encoder, a_seal_counts_towards_what_is_sent)
{
    size_t bytes;
    struct subscriber *device = admit("a", FEED_PACKED);
    device->lane->key.is_sealed = true;
    subscriber_traffic(device)->asked = (struct asked){.from = 1, .to = 1, .bytes = 90};
    encoder_begin(&encoder, device->lane);
    encoder_answer(&encoder, device, false, &bytes);
    cr_expect_eq(bytes, 7 + SEAL_BYTES);
}
