// tracked_camera_test.c - one source: whose packets are taken, which are new, and how often its
// lens is told.
#include "actors/track/tracked_camera.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <string.h>

static struct tracked_camera camera;
static struct whole_sample sample;
static const struct track_source source;

static void
start(void)
{
    tracked_camera_init(&camera, &source);
}

static void
end(void)
{
    tracked_camera_finish(&camera);
}

TestSuite(tracked_camera, .init = start, .fini = end);

enum { SECOND_US = 1000000, START_US = 5 * SECOND_US };

static struct sockaddr_in
sender(unsigned host, unsigned port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(0x7f000000 + host)};
}

static bool
take_part(const struct sockaddr_in *from, uint64_t now_us, unsigned sequence, uint32_t offset,
          bool is_last)
{
    static char packet[OPENTRACKIO_HEADER_BYTES + 2]; // samples of one packet borrow from it
    const struct opentrackio_header header = {.encoding = OPENTRACKIO_JSON,
                                              .sequence = (uint16_t)sequence,
                                              .offset = offset,
                                              .size = 2,
                                              .is_last = is_last};
    memcpy(packet + OPENTRACKIO_HEADER_BYTES, "{}", 2);
    opentrackio_header_write(&header, packet);
    return tracked_camera_take(&camera, from, packet, sizeof packet, now_us, &sample);
}

static bool
take(unsigned host, unsigned port, uint64_t now_us, unsigned sequence)
{
    struct sockaddr_in from = sender(host, port);
    return take_part(&from, now_us, sequence, 0, true);
}

static void
expect_drop(enum metric_cell reason, unsigned host, uint64_t now_us, unsigned sequence)
{
    uint64_t before = counter_get(reason);
    cr_expect(!take(host, 5000, now_us, sequence));
    cr_expect_eq(counter_get(reason), before + 1);
}

Test(tracked_camera, a_packet_is_a_sample)
{
    cr_assert(take(1, 5000, START_US, 7));
    cr_expect_eq(sample.encoding, OPENTRACKIO_JSON);
    cr_expect_eq(sample.size, 2);
    cr_expect_eq(memcmp(sample.data, "{}", 2), 0);
}

Test(tracked_camera, what_comes_twice_or_late_is_dropped)
{
    cr_assert(take(1, 5000, START_US, 7));
    expect_drop(COUNT_TRACK_DROP_LATE, 1, START_US + 1, 7);
    cr_assert(take(1, 5000, START_US + 2, 9));
    expect_drop(COUNT_TRACK_DROP_LATE, 1, START_US + 3, 8);
    cr_assert(take(1, 5000, START_US + 4, 10));
}

Test(tracked_camera, numbers_go_around)
{
    cr_assert(take(1, 5000, START_US, 65535));
    cr_assert(take(1, 5000, START_US + 1, 0));
    expect_drop(COUNT_TRACK_DROP_LATE, 1, START_US + 2, 65535);
}

Test(tracked_camera, a_sender_that_begins_anew_is_taken)
{
    cr_assert(take(1, 5000, START_US, 1000));
    cr_assert(take(1, 5000, START_US + 1, 1), "far from where it was");
    cr_assert(take(1, 5001, START_US + 2, 1), "another port");
    cr_assert(take(1, 5001, START_US + 2 + SECOND_US, 1), "after a second of silence");
}

Test(tracked_camera, another_sender_waits_until_the_first_one_is_silent)
{
    cr_assert(take(1, 5000, START_US, 7));
    expect_drop(COUNT_TRACK_DROP_SENDER, 2, START_US + SECOND_US - 1, 8);
    cr_assert(take(2, 5000, START_US + SECOND_US, 3));
    expect_drop(COUNT_TRACK_DROP_SENDER, 1, START_US + SECOND_US + 1, 9);
}

Test(tracked_camera, broken_packets_hold_no_place)
{
    struct sockaddr_in from = sender(1, 5000);
    uint64_t header = counter_get(COUNT_TRACK_DROP_HEADER),
             checksum = counter_get(COUNT_TRACK_DROP_CHECKSUM);
    cr_assert(!tracked_camera_take(&camera, &from, "nonsense", 8, START_US, &sample));
    cr_expect_eq(counter_get(COUNT_TRACK_DROP_HEADER), header + 1);
    char packet[] = "OTrk\0\1\0\1\0\0\0\0\x80\2\0\0{}";
    cr_assert(!tracked_camera_take(&camera, &from, packet, sizeof packet - 1, START_US, &sample));
    cr_expect_eq(counter_get(COUNT_TRACK_DROP_CHECKSUM), checksum + 1);
    cr_assert(take(2, 5000, START_US + 1, 1));
}

Test(tracked_camera, samples_that_stay_incomplete_are_counted)
{
    struct sockaddr_in from = sender(1, 5000);
    uint64_t before = counter_get(COUNT_TRACK_DROP_INCOMPLETE);
    cr_assert(!take_part(&from, START_US, 1, 0, false));
    cr_assert(tracked_camera_expire(&camera, START_US + SAMPLE_WITHIN_US - 1));
    cr_assert(!tracked_camera_expire(&camera, START_US + SAMPLE_WITHIN_US));
    cr_expect_eq(counter_get(COUNT_TRACK_DROP_INCOMPLETE), before + 1);
    cr_assert(!take_part(&from, START_US + SAMPLE_WITHIN_US, 2, 2, true),
              "its rest comes too late");
}

Test(tracked_camera, what_a_sender_left_open_is_forgotten_when_another_begins)
{
    struct sockaddr_in first = sender(1, 5000), restarted = sender(1, 5001);
    uint64_t before = counter_get(COUNT_TRACK_DROP_INCOMPLETE);
    cr_assert(!take_part(&first, START_US, 1, 0, false));
    cr_assert(!take_part(&restarted, START_US + 1, 2, 2, true));
    cr_expect_eq(counter_get(COUNT_TRACK_DROP_INCOMPLETE), before + 1);
}

static struct opentrackio_sample
paced(uint64_t now_us, double f_stop, double focus)
{
    struct opentrackio_sample said = {
        .has_lens = {[LENS_F_STOP] = true, [LENS_FOCUS_DISTANCE] = true}};
    said.lens[LENS_F_STOP] = f_stop;
    said.lens[LENS_FOCUS_DISTANCE] = focus;
    tracked_camera_pace_lens(&camera, now_us, &said);
    return said;
}

Test(tracked_camera, the_lens_is_told_ten_times_a_second_where_it_changed)
{
    cr_expect(paced(START_US, 4, 10).has_lens[LENS_F_STOP], "the first time");
    cr_expect(!paced(START_US + LENS_EVERY_US - 1, 5, 10).has_lens[LENS_F_STOP], "too soon");
    struct opentrackio_sample said = paced(START_US + LENS_EVERY_US, 5, 10);
    cr_expect(said.has_lens[LENS_F_STOP]);
    cr_expect(!said.has_lens[LENS_FOCUS_DISTANCE], "it did not change");
    cr_expect(!said.has_lens[LENS_PINHOLE_FOCAL_LENGTH], "nobody said it");
}

Test(tracked_camera, what_does_not_change_is_told_every_two_seconds)
{
    paced(START_US, 4, 10);
    cr_expect(!paced(START_US + LENS_AGAIN_US - 1, 4, 10).has_lens[LENS_F_STOP]);
    struct opentrackio_sample said = paced(START_US + LENS_AGAIN_US, 4, 10);
    cr_expect(said.has_lens[LENS_F_STOP]);
    cr_expect(said.has_lens[LENS_FOCUS_DISTANCE]);
    cr_expect(!paced(START_US + LENS_AGAIN_US + LENS_EVERY_US, 4, 10).has_lens[LENS_F_STOP]);
}
