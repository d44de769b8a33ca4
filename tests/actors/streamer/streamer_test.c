// streamer_test.c - events in by mailbox, datagrams and PUB messages out by real sockets.

#include "actors/streamer/streamer.h"

#include <criterion/criterion.h>
#include <czmq.h>
#include <poll.h>

#include "actors/udp/udp_receiver.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_msgpack.h"
#include "proto/feed/event.h"
#include "proto/message/metrics.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

enum { SCENE = 7, PATIENCE_MS = 5000, EPOCH = 12, DEVICES = 3 };

static struct arena arena;
static struct config config;
static int udp_socket = -1;
static mailbox_t *mailbox;
static sealed_intake_t *intake;
static streamer_t *streamer;
static int devices[DEVICES];
static int ports[DEVICES];
static zsock_t *subscriber;

static void
open_device(int index)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int buffer = 8 << 20;
    struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    devices[index] = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(devices[index], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(devices[index], SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
    cr_assert_eq(bind(devices[index], (struct sockaddr *)&at, size), 0);
    cr_assert_eq(getsockname(devices[index], (struct sockaddr *)&at, &size), 0);
    ports[index] = ntohs(at.sin_port);
}

static void
start(void)
{
    int port;
    arena_init(&arena);
    config = (struct config){.udp_host = "127.0.0.1",
                             .udp_trusted_networks = "",
                             .http_host = "127.0.0.1",
                             .http_trusted_proxies = "",
                             .pub_curve_dir = "",
                             .pub_endpoint = "tcp://127.0.0.1:*",
                             .pub_sndhwm = 1000};
    cr_assert_eq(udp_open(&config, &udp_socket, &port), OK);
    cr_assert_eq(mailbox_create("test", false, &mailbox), OK);
    intake = sealed_intake_create();
    cr_assert_eq(streamer_create(&config, udp_socket, EPOCH, intake, &streamer), OK);
    for (int i = 0; i < DEVICES; i++)
        open_device(i);
}

static void
end(void)
{
    zsock_destroy(&subscriber);
    streamer_destroy(&streamer, mailbox);
    sealed_intake_destroy(&intake);
    mailbox_destroy(&mailbox);
    for (int i = 0; i < DEVICES; i++)
        close(devices[i]);
    close(udp_socket);
    arena_finish(&arena);
}

TestSuite(streamer, .init = start, .fini = end);

// Events

static struct events *batch;

static void
add(uint8_t msg_type, uint64_t seq, const struct record *record)
{
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, "s1"));
    struct event event = {.seq = seq,
                          .time_us = 1000,
                          .scene_id = SCENE,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(record->schema, record),
                          .msg_type = msg_type};
    events_add(&batch, &event);
}

static void
add_object(uint8_t msg_type, uint64_t seq, const char *key)
{
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    record_set_text(object, OBJECT_SCENE, text_from(&arena, "s1"));
    record_mark(object, OBJECT_TRANSFORM);
    add(msg_type, seq, object);
}

// A registration of test device `index` as the scene actor announces it.
static void
add_device(uint8_t msg_type, uint64_t seq, const char *key, const char *hostname,
           const char *address, int port)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, key));
    record_set_text(device, DEVICE_HOSTNAME, text_from(&arena, hostname));
    record_set_integer(device, DEVICE_PORT, port);
    if (address)
        record_set_text(device, DEVICE_ADDRESS, text_from(&arena, address));
    record_set_text(device, DEVICE_PEER, text_from(&arena, "127.0.0.1"));
    add(msg_type, seq, device);
}

static void
add_local_device(uint8_t msg_type, uint64_t seq, const char *key, int index)
{
    add_device(msg_type, seq, key, "127.0.0.1", "127.0.0.1", ports[index]);
}

static void
send_batch(void)
{
    struct message *message = message_create(EVENTS);
    message->parcel = &batch->base;
    batch = NULL;
    cr_assert_eq(mailbox_send(mailbox, "streamer", &message), OK);
}

// Listeners

static const struct json *
receive_datagram(int index)
{
    static char datagram[65536];
    const struct json *json = NULL;
    ssize_t size = recv(devices[index], datagram, sizeof datagram, 0);
    cr_assert_gt(size, 0, "nothing came");
    cr_assert_eq(json_parse(&arena, datagram, (size_t)size, &json), OK);
    return json;
}

static void
expect_heard(int index, int64_t msg_type, int64_t seq, int64_t prev)
{
    const struct json *json = receive_datagram(index);
    cr_expect_eq(json_find(json, "msg_type")->integer, msg_type);
    cr_expect_eq(json_find(json, "seq")->integer, seq);
    cr_expect_eq(json_find(json, "prev")->integer, prev);
}

Test(streamer, a_device_gets_the_events_after_its_registration)
{
    add_object(EVENT_OBJECT_CREATED, 1, "a");
    add_local_device(EVENT_DEVICE_REGISTERED, 2, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 3, "a");
    add_object(EVENT_OBJECT_DELETED, 4, "a");
    send_batch();
    expect_heard(0, 1, 3, 0);
    expect_heard(0, 3, 4, 3);
}

Test(streamer, all_devices_of_the_scene_hear_it)
{
    for (int i = 0; i < DEVICES; i++)
        add_local_device(EVENT_DEVICE_REGISTERED, (uint64_t)i + 1, (char[]){(char)('a' + i), 0}, i);
    add_object(EVENT_OBJECT_UPDATED, DEVICES + 1, "a");
    send_batch();
    for (int i = 0; i < DEVICES; i++)
        expect_heard(i, 1, DEVICES + 1, 0);
}

Test(streamer, events_that_never_came_are_one_gap_of_their_batch)
{
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 2, "a");
    add_object(EVENT_OBJECT_UPDATED, 5, "a");
    add_object(EVENT_LOCK_GRANTED, 7, "a");
    add_object(EVENT_OBJECT_UPDATED, 8, "a");
    send_batch();
    expect_heard(0, 1, 2, 0);
    expect_heard(0, 1, 5, 2);
    expect_heard(0, 1, 8, 6);
}

Test(streamer, a_device_known_from_the_store_gets_all_events)
{
    add_local_device(EVENT_DEVICE_KNOWN, 0, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 1, "a");
    send_batch();
    expect_heard(0, 1, 1, 0);
}

Test(streamer, prev_skips_what_devices_are_not_sent)
{
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 2, "a");
    add_object(EVENT_LOCK_GRANTED, 3, "a");
    add_object(EVENT_OBJECT_UPDATED, 4, "a");
    send_batch();
    expect_heard(0, 1, 2, 0);
    expect_heard(0, 1, 4, 2);
}

Test(streamer, a_deregistered_device_gets_nothing_more)
{
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "gone", 0);
    add_local_device(EVENT_DEVICE_REGISTERED, 2, "stays", 1);
    add_local_device(EVENT_DEVICE_DEREGISTERED, 3, "gone", 0);
    add_object(EVENT_OBJECT_UPDATED, 4, "a");
    send_batch();
    expect_heard(1, 1, 4, 0);
    cr_assert_lt(recv(devices[0], &(char){0}, 1, MSG_DONTWAIT), 0);
}

Test(streamer, registering_again_replaces_the_address)
{
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "d", 0);
    add_local_device(EVENT_DEVICE_REGISTERED, 2, "d", 1);
    add_object(EVENT_OBJECT_UPDATED, 3, "a");
    send_batch();
    expect_heard(1, 1, 3, 0);
    cr_assert_lt(recv(devices[0], &(char){0}, 1, MSG_DONTWAIT), 0);
}

Test(streamer, registering_again_without_a_port_ends_the_datagrams)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "d"));
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "d", 0);
    add_local_device(EVENT_DEVICE_REGISTERED, 2, "other", 1);
    add(EVENT_DEVICE_REGISTERED, 3, device);
    add_object(EVENT_OBJECT_UPDATED, 4, "a");
    send_batch();
    expect_heard(1, 1, 4, 0);
    cr_assert_lt(recv(devices[0], &(char){0}, 1, MSG_DONTWAIT), 0);
}

Test(streamer, the_deletes_before_the_end_of_a_scene_are_heard)
{
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "d", 0);
    add_object(EVENT_OBJECT_DELETED, 2, "a");
    add_object(EVENT_SCENE_DELETED, 3, "s1");
    send_batch();
    expect_heard(0, 3, 2, 0);
}

Test(streamer, a_name_is_resolved_before_datagrams_leave)
{
    add_device(EVENT_DEVICE_REGISTERED, 1, "d", "localhost", NULL, ports[0]);
    send_batch();
    for (uint64_t seq = 2;; seq++) {
        add_object(EVENT_OBJECT_UPDATED, seq, "a");
        send_batch();
        struct pollfd waiting = {.fd = devices[0], .events = POLLIN};
        if (poll(&waiting, 1, 5) > 0)
            break;
        cr_assert_lt(seq, 1000, "never resolved");
    }
    cr_assert_eq(json_find(receive_datagram(0), "msg_type")->integer, 1);
}

Test(streamer, a_device_of_the_other_address_family_is_counted)
{
    uint64_t before = counter_get(COUNT_UDP_OUT_FAILED);
    add_device(EVENT_DEVICE_REGISTERED, 1, "six", "::1", "::1", ports[0]);
    add_local_device(EVENT_DEVICE_REGISTERED, 2, "four", 1);
    add_object(EVENT_OBJECT_UPDATED, 3, "a");
    send_batch();
    expect_heard(1, 1, 3, 0);
    streamer_destroy(&streamer, mailbox);
    cr_assert_eq(counter_get(COUNT_UDP_OUT_FAILED) - before, 1);
}

Test(streamer, more_events_than_fit_one_system_call_come_in_order)
{
    enum { EVENTS_SENT = 300, FIRST = DEVICES + 1 };
    for (int i = 0; i < DEVICES; i++)
        add_local_device(EVENT_DEVICE_REGISTERED, (uint64_t)i + 1, (char[]){(char)('a' + i), 0}, i);
    for (uint64_t seq = FIRST; seq < FIRST + EVENTS_SENT; seq++)
        add_object(EVENT_OBJECT_UPDATED, seq, "a");
    send_batch();
    for (int i = 0; i < DEVICES; i++)
        for (int64_t seq = FIRST; seq < FIRST + EVENTS_SENT; seq++)
            expect_heard(i, 1, seq, seq == FIRST ? 0 : seq - 1);
}

Test(streamer, a_flood_is_coalesced_and_ends_in_the_newest_state)
{
    enum { FLOOD = 50000 };
    uint64_t superseded = counter_get(COUNT_UDP_SUPERSEDED);
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "d", 0);
    for (uint64_t seq = 2; seq < FLOOD; seq++)
        add_object(EVENT_OBJECT_UPDATED, seq, "a");
    send_batch();
    int64_t seq = 0, prev, received = 0;
    while (seq != FLOOD - 1) {
        const struct json *json = receive_datagram(0);
        prev = seq;
        seq = json_find(json, "seq")->integer;
        cr_assert_eq(json_find(json, "prev")->integer, prev);
        cr_assert_gt(seq, prev);
        received++;
    }
    cr_assert_lt(received, FLOOD / 2);
    cr_assert_eq(counter_get(COUNT_UDP_SUPERSEDED) - superseded, FLOOD - 2 - (uint64_t)received);
}

// PUB

// Subscribes and waits for a heartbeat: then the server knows of the subscription.
static void
subscribe(const char *topic)
{
    subscriber = zsock_new(ZMQ_SUB);
    zsock_set_rcvtimeo(subscriber, PATIENCE_MS);
    zsock_set_subscribe(subscriber, topic);
    zsock_set_subscribe(subscriber, "hb");
    cr_assert_eq(zsock_connect(subscriber, "%s", streamer_pub_endpoint(streamer)), 0);
}

static zmsg_t *
receive(void)
{
    zmsg_t *message = zmsg_recv(subscriber);
    cr_assert_not_null(message);
    cr_assert_eq(zmsg_size(message), 3);
    return message;
}

static const struct json *
unpack(zframe_t *frame)
{
    const struct json *json = NULL;
    cr_assert_eq(msgpack_to_json(&arena, zframe_data(frame), zframe_size(frame), &json), OK);
    return json;
}

static void
wait_for_heartbeat(void)
{
    zmsg_t *message = receive();
    cr_assert(zframe_streq(zmsg_first(message), "hb"));
    const struct json *header = unpack(zmsg_next(message));
    cr_assert_eq(json_find(header, "epoch")->integer, EPOCH);
    cr_assert_gt(json_find(header, "time_us")->integer, 0);
    cr_assert_eq(unpack(zmsg_next(message))->count, 0);
    zmsg_destroy(&message);
}

// The next message that is no heartbeat; its header.
static const struct json *
expect_published(const char *topic, const char *body_key)
{
    zmsg_t *message = receive();
    while (zframe_streq(zmsg_first(message), "hb")) {
        zmsg_destroy(&message);
        message = receive();
    }
    cr_expect(zframe_streq(zmsg_first(message), topic), "not %s", topic);
    const struct json *header = unpack(zmsg_next(message));
    cr_expect(text_is(json_find(unpack(zmsg_next(message)), "key")->text, body_key));
    zmsg_destroy(&message);
    return header;
}

Test(streamer, subscribers_hear_a_heartbeat)
{
    subscribe("nothing");
    wait_for_heartbeat();
    wait_for_heartbeat();
}

Test(streamer, subscribers_get_every_event_in_three_frames)
{
    subscribe("scene.s1.");
    wait_for_heartbeat();
    add_local_device(EVENT_DEVICE_REGISTERED, 1, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 2, "a");
    add_object(EVENT_LOCK_GRANTED, 3, "a");
    send_batch();
    const struct json *header = expect_published("scene.s1.device.43", "d");
    cr_expect_eq(json_find(header, "epoch")->integer, EPOCH);
    cr_expect_eq(json_find(header, "seq")->integer, 1);
    cr_expect_eq(json_find(header, "time_us")->integer, 1000);
    cr_expect_eq(json_find(header, "type")->integer, 43);
    cr_expect(text_is(json_find(header, "scene")->text, "s1"));
    cr_expect_eq(json_find(expect_published("scene.s1.object.1", "a"), "seq")->integer, 2);
    cr_expect_eq(json_find(expect_published("scene.s1.lock.46", "a"), "seq")->integer, 3);
}

Test(streamer, a_device_known_from_the_store_is_not_published)
{
    subscribe("");
    wait_for_heartbeat();
    add_local_device(EVENT_DEVICE_KNOWN, 0, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 1, "a");
    send_batch();
    expect_published("scene.s1.object.1", "a");
}

Test(streamer, without_connections_nothing_is_published)
{
    uint64_t before = counter_get(COUNT_PUB_SENT);
    add_local_device(EVENT_DEVICE_KNOWN, 0, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 1, "a");
    send_batch();
    expect_heard(0, 1, 1, 0);
    cr_assert_eq(counter_get(COUNT_PUB_SENT), before);
}

// Settings

// Starts the streamer anew. A mailbox that sent to the old one cannot send to the new one.
static enum error
create_second(const char *endpoint, bool insecure)
{
    streamer_destroy(&streamer, mailbox);
    mailbox_destroy(&mailbox);
    cr_assert_eq(mailbox_create("test", false, &mailbox), OK);
    config.pub_endpoint = endpoint;
    config.pub_insecure = insecure;
    return streamer_create(&config, udp_socket, EPOCH, intake, &streamer);
}

Test(streamer, pub_beyond_loopback_needs_to_be_asked_for)
{
    cr_assert_eq(create_second("tcp://*:*", false), ERR_INVALID);
    cr_assert_not_null(strstr(fault_last()->detail, "pub.insecure"));
    cr_assert_eq(create_second("tcp://*:*", true), OK);
}

Test(streamer, an_endpoint_in_use_is_refused_by_name)
{
    zsock_t *other = zsock_new(ZMQ_PUB);
    int port = zsock_bind(other, "tcp://127.0.0.1:*");
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%d", port);
    cr_assert_eq(create_second(endpoint, false), ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, endpoint));
    zsock_destroy(&other);
}

Test(streamer, an_empty_endpoint_means_no_pub)
{
    cr_assert_eq(create_second("", false), OK);
    cr_assert_str_eq(streamer_pub_endpoint(streamer), "");
    add_local_device(EVENT_DEVICE_KNOWN, 0, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 1, "a");
    send_batch();
    expect_heard(0, 1, 1, 0);
}

Test(streamer, what_waits_is_sent_before_it_ends)
{
    add_local_device(EVENT_DEVICE_KNOWN, 0, "d", 0);
    add_object(EVENT_OBJECT_UPDATED, 1, "a");
    send_batch();
    streamer_destroy(&streamer, mailbox);
    expect_heard(0, 1, 1, 0);
}
