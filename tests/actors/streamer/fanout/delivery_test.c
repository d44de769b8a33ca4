// delivery_test.c - datagram groups by real sockets: every device is sent each datagram once,
// however long that takes and whichever device is removed meanwhile.

#include "actors/streamer/fanout/delivery.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/feed/feed_packed.h"
#include "proto/records/lock.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "tests/support/fed_devices.h"

enum {
    SCENE = 7,
    EPOCH = 3,
    SOCKETS = 100,
    CROWD = 8000, // more datagrams than any machine sends in a slice
    PATIENCE_MS = 5000,
};

static const struct lane_key plain = {.form = FEED_PLAIN};
static const struct lane_key packed = {.form = FEED_PACKED, .rate_hz = 1};

static struct arena arena;
static struct config config;
static int sender, sockets[SOCKETS];
static union udp_endpoint endpoints[SOCKETS];
static subscribers_t *subscribers;
static delivery_t *delivery;

static int
open_socket(union udp_endpoint *ret_endpoint)
{
    int opened = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    socklen_t size = sizeof ret_endpoint->v4;
    cr_assert(udp_endpoint_from(AF_INET, "127.0.0.1", 0, ret_endpoint));
    cr_assert_eq(bind(opened, &ret_endpoint->any, size), 0);
    cr_assert_eq(getsockname(opened, &ret_endpoint->any, &size), 0);
    return opened;
}

static void
start(void)
{
    union udp_endpoint own;
    arena_init(&arena);
    config = (struct config){.udp_host = "127.0.0.1"};
    sender = open_socket(&own);
    for (int i = 0; i < SOCKETS; i++)
        sockets[i] = open_socket(&endpoints[i]);
    subscribers = subscribers_create();
    delivery = delivery_create(&config, sender, EPOCH, subscribers);
}

static void
end(void)
{
    delivery_destroy(&delivery);
    subscribers_destroy(&subscribers);
    fed_devices_end();
    for (int i = 0; i < SOCKETS; i++)
        close(sockets[i]);
    close(sender);
    arena_finish(&arena);
}

TestSuite(delivery, .init = start, .fini = end);

static struct subscriber *
device_of_number(unsigned number)
{
    char key[24];
    snprintf(key, sizeof key, "device%u", number);
    return fed_device(SCENE, key);
}

static struct subscriber *
admit(unsigned number, uint64_t since, const struct lane_key *lane)
{
    struct subscriber *device = device_of_number(number);
    subscribers_admit(subscribers, device, SCENE, since, lane);
    subscribers_set_endpoint(subscribers, device, &endpoints[number % SOCKETS]);
    return device;
}

static void
take(const char *key, uint64_t seq)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, "s1"));
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    struct event event = {.seq = seq,
                          .scene_id = SCENE,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&object_schema, object),
                          .msg_type = EVENT_OBJECT_UPDATED};
    delivery_take(delivery, &event);
    record_unref(&event.scene);
    record_unref(&event.record);
}

static void
deliver(void)
{
    while (delivery_has_events(delivery) || delivery_timeout_ms(delivery, 1000) == 0)
        delivery_turn(delivery, false);
}

static unsigned
count_datagrams(void)
{
    char byte;
    unsigned count = 0;
    for (int i = 0; i < SOCKETS; i++)
        while (recv(sockets[i], &byte, 1, MSG_TRUNC) >= 0)
            count++;
    return count;
}

// The next packed datagram that the socket receives.
static struct feed_packed_datagram
receive(int socket)
{
    static char content[PACKED_DATAGRAM_BYTES];
    struct feed_packed_datagram datagram;
    struct pollfd waiting = {.fd = socket, .events = POLLIN};
    cr_assert_eq(poll(&waiting, 1, PATIENCE_MS), 1, "nothing came");
    ssize_t size = recv(socket, content, sizeof content, 0);
    cr_assert_eq(feed_packed_read(&arena, content, (size_t)size, &datagram), OK);
    return datagram;
}

Test(delivery, a_group_that_takes_several_turns_reaches_everybody_once)
{
    for (unsigned i = 0; i < CROWD; i++)
        admit(i, 0, &plain);
    take("a", 1);
    delivery_turn(delivery, false);
    cr_assert(delivery_has_events(delivery), "one slice was enough for all");
    deliver();
    cr_assert_eq(count_datagrams(), CROWD);
}

Test(delivery, a_device_removed_during_a_group_takes_nothing_from_the_one_in_its_place)
{
    for (unsigned i = 0; i < CROWD; i++)
        admit(i, 0, &plain);
    take("a", 1);
    delivery_turn(delivery, false);
    cr_assert(delivery_has_events(delivery), "one slice was enough for all");
    // A slice ends by the clock: on a busy machine few have had it. The last ones get the places of
    // those who leave.
    unsigned had = count_datagrams();
    for (unsigned i = 0; i < had && i < 10; i++)
        subscribers_remove(subscribers, device_of_number(i));
    deliver();
    cr_assert_eq(had + count_datagrams(), CROWD);
}

Test(delivery, a_scene_without_devices_during_a_group_ends_it)
{
    for (unsigned i = 0; i < CROWD; i++)
        admit(i, 0, &plain);
    take("a", 1);
    delivery_turn(delivery, false);
    for (unsigned i = 0; i < CROWD; i++)
        subscribers_remove(subscribers, device_of_number(i));
    deliver();
    cr_assert_lt(count_datagrams(), CROWD);
}

Test(delivery, a_device_that_joins_within_a_datagram_gets_its_part_by_itself)
{
    admit(0, 0, &packed);
    take("a", 1);
    take("b", 2);
    admit(1, 2, &packed);
    delivery_note(delivery, &(struct event){.seq = 3, .scene_id = SCENE}); // its registration
    take("c", 4);
    deliver();
    struct feed_packed_datagram all = receive(sockets[0]), part = receive(sockets[1]);
    cr_expect_eq(all.prev, 0);
    cr_expect_eq(all.seq, 4);
    cr_expect_eq(all.changes->count, 3);
    cr_expect_eq(part.epoch, EPOCH);
    cr_expect_eq(part.prev, 2);
    cr_expect_eq(part.seq, 4);
    cr_expect_eq(part.changes->count, 1);
    cr_expect_eq(count_datagrams(), 0);
}

Test(delivery, what_a_device_asks_for_again_is_sent_to_it_alone)
{
    struct subscriber *device = admit(0, 0, &packed);
    admit(1, 0, &packed);
    take("a", 1);
    take("b", 2);
    deliver();
    cr_assert_eq(count_datagrams(), 2);
    subscribers_ask(subscribers, device, &(struct asked){.from = 2, .to = 2});
    delivery_turn(delivery, false);
    struct feed_packed_datagram again = receive(sockets[0]);
    cr_expect_eq(again.prev, 1);
    cr_expect_eq(again.seq, 2);
    cr_expect_eq(again.changes->count, 1);
    cr_expect_eq(count_datagrams(), 0);
    cr_expect(!device->is_behind);
}

Test(delivery, a_sealed_lane_sends_each_device_what_its_own_key_opens)
{
    static const struct lane_key sealed = {.form = FEED_PACKED, .rate_hz = 1, .is_sealed = true};
    static const char *const keys[] = {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
                                       "BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"};
    for (unsigned i = 0; i < 2; i++) {
        struct record *record = record_new(&arena, &device_schema);
        record_set_text(record, DEVICE_TOKEN,
                        text_from(&arena, "8e110a858144a2f81f7c9fbbd3d28777"));
        record_set_text(record, DEVICE_SEAL_KEY, text_from(&arena, keys[i]));
        struct device_sealer *sealer = device_sealer_create(device_of(record));
        subscribers_set_sealer(admit(i, 0, &sealed), sealer);
        device_sealer_unref(&sealer);
    }
    take("cube", 1);
    deliver();
    for (unsigned i = 0; i < 2; i++) {
        char datagram[2048];
        unsigned char key[SEAL_KEY_BYTES], derived[SEAL_KEY_BYTES];
        struct feed_packed_datagram read;
        struct buffer out = {0};
        ssize_t size = recv(sockets[i], datagram, sizeof datagram, 0);
        cr_assert_gt(size, 0);
        cr_assert(feed_seal_read_key(text_from(&arena, keys[i]), key));
        feed_seal_derive(key, SEAL_TO_DEVICE, derived);
        cr_assert(feed_seal_open(derived, datagram, (size_t)size, &out));
        cr_assert_eq(feed_packed_read(&arena, out.data, out.size, &read), OK);
        cr_assert_eq(read.seq, 1);
        buffer_finish(&out);
    }
}

// What the socket receives next, as text.
static const char *
receive_text(int socket)
{
    static char content[8192];
    struct pollfd waiting = {.fd = socket, .events = POLLIN};
    cr_assert_eq(poll(&waiting, 1, PATIENCE_MS), 1, "nothing came");
    ssize_t size = recv(socket, content, sizeof content - 1, 0);
    cr_assert_gt(size, 0);
    content[size] = '\0';
    return content;
}

static void
ask(struct subscriber *device, uint64_t from, uint64_t to)
{
    subscribers_ask(subscribers, device, &(struct asked){.from = from, .to = to, .bytes = 200});
    delivery_turn(delivery, false);
}

Test(delivery, an_answer_ends_where_the_question_does_and_has_the_newest_states)
{
    struct subscriber *device = admit(0, 0, &packed);
    take("a", 1);
    deliver();
    take("b", 2);
    deliver();
    take("c", 3);
    deliver();
    take("b", 4);
    deliver();
    cr_assert_eq(count_datagrams(), 4);
    ask(device, 2, 3);
    struct feed_packed_datagram again = receive(sockets[0]);
    cr_expect_eq(again.prev, 1);
    cr_expect_eq(again.seq, 3);
    cr_assert_eq(again.changes->count, 2);
    cr_expect_eq(count_datagrams(), 0);
}

Test(delivery, the_plain_form_answers_with_a_datagram_for_each_entity)
{
    struct subscriber *device = admit(0, 0, &plain);
    take("a", 1);
    take("b", 2);
    take("a", 3);
    deliver();
    cr_assert_eq(count_datagrams(), 3);
    ask(device, 1, 3);
    cr_expect_not_null(strstr(receive_text(sockets[0]), "\"seq\":2,\"prev\":0}"));
    cr_expect_not_null(strstr(receive_text(sockets[0]), "\"seq\":3,\"prev\":2}"));
    cr_expect_eq(count_datagrams(), 0);
}

Test(delivery, a_question_about_what_is_not_known_any_more_is_refused)
{
    struct subscriber *device = admit(0, 0, &plain);
    take("a", 5);
    deliver();
    cr_assert_eq(count_datagrams(), 1);
    ask(device, 4, 5);
    cr_expect_str_eq(receive_text(sockets[0]),
                     "{\"msg_type\":64,\"scene\":\"s1\",\"from\":4,\"reason\":\"too_old\"}");
    cr_expect_eq(count_datagrams(), 0);
}

Test(delivery, a_refusal_is_not_larger_than_the_question)
{
    struct subscriber *device = admit(0, 0, &plain);
    take("a", 5);
    deliver();
    cr_assert_eq(count_datagrams(), 1);
    subscribers_ask(subscribers, device,
                    &(struct asked){.from = 4, .to = 5, .bytes = 45, .is_refused = true});
    delivery_turn(delivery, false);
    cr_expect_str_eq(receive_text(sockets[0]), "{\"msg_type\":64,\"from\":4,\"reason\":\"busy\"}");
}

Test(delivery, who_has_everything_is_told_up_to_where)
{
    struct subscriber *device = admit(0, 0, &plain);
    take("a", 5);
    deliver();
    cr_assert_eq(count_datagrams(), 1);
    ask(device, 6, 9);
    cr_expect_str_eq(receive_text(sockets[0]),
                     "{\"msg_type\":65,\"scene\":\"s1\",\"epoch\":3,\"seq\":5}");
}

Test(delivery, what_was_lost_on_the_way_here_is_a_gap_between_two_datagrams)
{
    admit(0, 0, &packed);
    take("a", 1);
    deliver();
    take("b", 2);
    take("c", 5);
    deliver();
    cr_expect_eq(receive(sockets[0]).seq, 1);
    struct feed_packed_datagram before = receive(sockets[0]), after = receive(sockets[0]);
    cr_expect_eq(before.prev, 1);
    cr_expect_eq(before.seq, 2);
    cr_expect_eq(after.prev, 4);
    cr_expect_eq(after.seq, 5);
}

// Somebody asks for a lock of the device.
static void
ask_for_lock(unsigned holder, const char *words)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct record *asked = record_new(&arena, &lock_ask_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, "s1"));
    record_set_text(asked, LOCK_ASK_MESSAGE, text_from(&arena, words));
    struct event event = {.scene_id = SCENE,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&lock_ask_schema, asked),
                          .msg_type = EVENT_LOCK_ASKED};
    subscribers_tell_ask(subscribers, device_of_number(holder), &event);
    record_unref(&event.scene);
    record_unref(&event.record);
}

Test(delivery, who_holds_a_lock_is_told_the_newest_question_and_nobody_else_is)
{
    admit(0, 0, &plain)->hears_asks = true;
    admit(1, 0, &plain)->hears_asks = true;
    ask_for_lock(0, "first");
    ask_for_lock(0, "second");
    delivery_turn(delivery, false);
    cr_assert_not_null(strstr(receive_text(sockets[0]), "\"message\":\"second\""));
    cr_assert_eq(count_datagrams(), 0);
}

Test(delivery, who_did_not_want_to_hear_of_locks_does_not)
{
    admit(0, 0, &plain);
    ask_for_lock(0, "may I?");
    delivery_turn(delivery, false);
    cr_assert_eq(count_datagrams(), 0);
}

Test(delivery, a_question_about_a_lock_does_not_go_to_an_address_that_is_not_proven_any_more)
{
    struct subscriber *device = admit(0, 0, &plain);
    device->hears_asks = true;
    ask_for_lock(0, "may I?");
    subscribers_admit(subscribers, device, SCENE, 0, &plain);
    delivery_turn(delivery, false);
    cr_assert_eq(count_datagrams(), 0);
    cr_assert_null(device->traffic->ask);
}

Test(delivery, what_a_device_missed_is_answered_with_its_key_and_its_index)
{
    static const struct lane_key indexed = {.form = FEED_PACKED, .rate_hz = 1, .has_indices = true};
    struct subscriber *device = admit(0, 0, &indexed);
    take("a", 1);
    deliver();
    const struct json *told = &receive(sockets[0]).changes->items[0];
    cr_expect(text_is(json_find(told, "key")->text, "a"));
    cr_expect_eq(json_find(told, "index")->integer, 1);
    ask(device, 1, 1);
    const struct json *again = &receive(sockets[0]).changes->items[0];
    cr_expect(text_is(json_find(again, "key")->text, "a"));
    cr_expect_eq(json_find(again, "index")->integer, 1);
}
