// udp_receiver_test.c - datagrams become updates of their shard, or are counted by the reason why
// not. Mailboxes of the test take the place of the scene actors.

#include "actors/udp/udp_receiver.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "actors/udp/feed_controls.h"
#include "proto/base/limits.h"
#include "proto/message/mailbox.h"
#include "proto/message/metrics.h"
#include "proto/records/object.h"

enum { SHARDS = 3, MAX_SHARDS = 257, PATIENCE_MS = 5000 };

static int udp_socket = -1;
static int client = -1;
static udp_receiver_t *receiver;
static mailbox_t *mailboxes[MAX_SHARDS];

static bool needs_token, require_sealed;
static sealed_intake_t *intake;

static void
start_with(unsigned shards)
{
    struct config config = {.udp_host = "127.0.0.1"};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int port = 0;
    cr_assert_eq(udp_open(&config, &udp_socket, &port), OK);
    to.sin_port = htons((uint16_t)port);
    client = socket(AF_INET, SOCK_DGRAM, 0);
    cr_assert_eq(connect(client, (struct sockaddr *)&to, sizeof to), 0);
    for (unsigned shard = 0; shard < shards; shard++) {
        char name[MAILBOX_NAME_SIZE];
        mailbox_shard_name(shard, name);
        cr_assert_eq(mailbox_create(name, true, &mailboxes[shard]), OK);
    }
    intake = sealed_intake_create();
    const struct udp_receiver_settings settings = {.shards = shards,
                                                   .needs_token = needs_token,
                                                   .require_sealed = require_sealed,
                                                   .intake = intake};
    cr_assert_eq(udp_receiver_create(udp_socket, &settings, &receiver), OK);
}

static void
end(void)
{
    udp_receiver_destroy(&receiver);
    sealed_intake_destroy(&intake);
    for (unsigned shard = 0; shard < MAX_SHARDS; shard++)
        mailbox_destroy(&mailboxes[shard]);
    close(client);
    close(udp_socket);
}

TestSuite(udp_receiver, .fini = end);

static void
put(const void *data, size_t size)
{
    cr_assert_eq(send(client, data, size, 0), (ssize_t)size);
}

static void
put_chars(const char *datagram)
{
    put(datagram, strlen(datagram));
}

#define KEY "0008880a270698496c36e392" // of partition 0

static void
put_update(const char *key, const char *name)
{
    char datagram[256];
    snprintf(datagram, sizeof datagram, "{\"msg_type\":1,\"key\":\"%s\",\"name\":\"%s\"}", key,
             name);
    put_chars(datagram);
}

static struct message *
receive(unsigned shard)
{
    struct message *message = mailbox_receive(mailboxes[shard], PATIENCE_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, DATAGRAMS);
    cr_assert_eq(message->id, 0);
    return message;
}

static const struct object_edit *
edit_of(const struct message *message, uint32_t index)
{
    return (const struct object_edit *)(void *)message->records->items[index];
}

// Once the marker has come, everything sent before it was read.
static void
wait_for_marker(void)
{
    put_update(KEY, "marker");
    bool found = false;
    while (!found) {
        struct message *message = receive(0);
        for (uint32_t i = 0; i < message->records->count; i++)
            found |= text_is(edit_of(message, i)->object.name, "marker");
        message_destroy(&message);
    }
}

static void
expect_drop(enum metric_cell reason, const void *data, size_t size)
{
    uint64_t before = counter_get(reason), received = counter_get(COUNT_UDP_IN);
    put(data, size);
    wait_for_marker();
    cr_expect_eq(counter_get(reason) - before, 1, "%.60s", (const char *)data);
    cr_expect_eq(counter_get(COUNT_UDP_IN) - received, 2);
}

static void
expect_drop_chars(enum metric_cell reason, const char *datagram)
{
    expect_drop(reason, datagram, strlen(datagram));
}

Test(udp_receiver, a_datagram_of_a_real_client_becomes_an_object_edit)
{
    start_with(1);
    put_chars("{\"msg_type\": 1, \"key\": \"" KEY "\", \"name\": \"cube\", \"scene\": \"s1\", "
              "\"transform\": [1.0, 0.0, 0.0, 5.0, 0.0, 1.0, 0.0, 6.0, 0.0, 0.0, 1.0, 7.0, 0.0, "
              "0.0, 0.0, 1.0], \"actions\": []}");
    struct message *message = receive(0);
    cr_assert_eq(message->records->count, 1);
    const struct object_edit *edit = edit_of(message, 0);
    cr_assert_eq(edit->object.base.schema, &object_edit_schema);
    cr_assert(record_has(&edit->object.base, OBJECT_KEY));
    cr_assert(text_is(edit->object.key, KEY));
    cr_assert(text_is(edit->object.name, "cube"));
    cr_assert_eq(edit->object.transform[7], 6);
    cr_assert(!record_has(&edit->object.base, OBJECT_ASSETS));
    message_destroy(&message);
}

Test(udp_receiver, absent_members_are_not_present)
{
    start_with(1);
    put_chars("{\"msg_type\":1,\"key\":\"" KEY "\",\"name\":null,\"scene\":null,"
              "\"translation\":[1,2,3]}");
    struct message *message = receive(0);
    const struct object_edit *edit = edit_of(message, 0);
    cr_assert(!record_has(&edit->object.base, OBJECT_NAME));
    cr_assert(!record_has(&edit->object.base, OBJECT_TRANSFORM));
    cr_assert_eq(edit->input.translation[2], 3);
    message_destroy(&message);
}

Test(udp_receiver, updates_reach_their_shard_in_order_of_arrival)
{
    enum { UPDATES = 300 };
    start_with(SHARDS);
    for (unsigned i = 0; i < UPDATES; i++) {
        char key[32], name[16];
        snprintf(key, sizeof key, "%03x%021x", i % 7, i);
        snprintf(name, sizeof name, "%u", i);
        put_update(key, name);
    }
    for (unsigned shard = 0, i = 0; shard < SHARDS; shard++) {
        i = 0;
        while (i < UPDATES && i % 7 % SHARDS != shard)
            i++;
        while (i < UPDATES) {
            struct message *message = receive(shard);
            for (uint32_t at = 0; at < message->records->count; at++) {
                char name[16];
                snprintf(name, sizeof name, "%u", i);
                cr_assert(text_is(edit_of(message, at)->object.name, name));
                do
                    i++;
                while (i < UPDATES && i % 7 % SHARDS != shard);
            }
            message_destroy(&message);
        }
    }
}

Test(udp_receiver, what_is_no_json_object_is_counted_as_malformed)
{
    static const char *const datagrams[] = {"{",
                                            "nonsense",
                                            "[]",
                                            "1",
                                            "{\"msg_type\":1,\"key\":\"" KEY "\"} x",
                                            "{\"msg_type\":1,\"key\":\"" KEY
                                            "\",\"name\":\"\xff\"}",
                                            "{\"msg_type\":1,\"key\":\"" KEY "\",\"name\":NaN}"};
    start_with(1);
    for (size_t i = 0; i < sizeof datagrams / sizeof datagrams[0]; i++)
        expect_drop_chars(COUNT_UDP_DROP_JSON, datagrams[i]);
}

Test(udp_receiver, an_empty_datagram_is_malformed)
{
    start_with(1);
    expect_drop(COUNT_UDP_DROP_JSON, "", 0);
}

Test(udp_receiver, more_than_8_kib_is_too_large)
{
    static char datagram[LIMIT_DATAGRAM_BYTES + 1];
    start_with(1);
    static const char update[] = "{\"msg_type\":1,\"key\":\"" KEY "\"}";
    memset(datagram, ' ', sizeof datagram);
    memcpy(datagram, update, sizeof update - 1);
    expect_drop(COUNT_UDP_DROP_SIZE, datagram, sizeof datagram);
    put(datagram, sizeof datagram - 1);
    struct message *message = receive(0);
    cr_assert(text_is(edit_of(message, 0)->object.key, KEY));
    message_destroy(&message);
}

Test(udp_receiver, other_types_are_counted)
{
    static const char *const datagrams[] = {"{}",
                                            "{\"key\":\"" KEY "\"}",
                                            "{\"msg_type\":0,\"key\":\"" KEY "\"}",
                                            "{\"msg_type\":3,\"key\":\"" KEY "\"}",
                                            "{\"msg_type\":15,\"key\":\"" KEY "\"}",
                                            "{\"msg_type\":\"1\",\"key\":\"" KEY "\"}"};
    start_with(1);
    for (size_t i = 0; i < sizeof datagrams / sizeof datagrams[0]; i++)
        expect_drop_chars(COUNT_UDP_DROP_TYPE, datagrams[i]);
}

Test(udp_receiver, keys_that_are_nobodys_are_counted)
{
    static const char *const datagrams[] = {
        "{\"msg_type\":1}",
        "{\"msg_type\":1,\"key\":null}",
        "{\"msg_type\":1,\"key\":5}",
        "{\"msg_type\":1,\"key\":\"\"}",
        "{\"msg_type\":1,\"key\":\"cube\"}",
        "{\"msg_type\":1,\"key\":\"0008880A270698496C36E392\"}",
        "{\"msg_type\":1,\"key\":\"4008880a270698496c36e392\"}"};
    start_with(1);
    for (size_t i = 0; i < sizeof datagrams / sizeof datagrams[0]; i++)
        expect_drop_chars(COUNT_UDP_DROP_KEY, datagrams[i]);
}

Test(udp_receiver, values_that_are_not_allowed_are_counted)
{
    static const char *const datagrams[] = {
        "{\"msg_type\":1,\"key\":\"" KEY "\",\"name\":5}",
        "{\"msg_type\":1,\"key\":\"" KEY "\",\"transform\":[1,2]}",
        "{\"msg_type\":1,\"key\":\"" KEY "\",\"translation\":[\"a\",0,0]}"};
    start_with(1);
    for (size_t i = 0; i < sizeof datagrams / sizeof datagrams[0]; i++)
        expect_drop_chars(COUNT_UDP_DROP_VALUE, datagrams[i]);
}

Test(udp_receiver, a_token_goes_with_its_edit)
{
    start_with(1);
    put_chars("{\"msg_type\":1,\"key\":\"" KEY "\",\"token\":\"0123456789012345678901\"}");
    put_chars("{\"msg_type\":1,\"key\":\"" KEY "\",\"token\":null}");
    struct message *message = receive(0);
    cr_assert(text_is(edit_of(message, 0)->token, "0123456789012345678901"));
    if (message->records->count == 1) {
        message_destroy(&message);
        message = receive(0);
    }
    cr_assert(!record_has(message->records->items[message->records->count - 1], ENTITY_TOKEN));
    message_destroy(&message);
}

Test(udp_receiver, a_token_that_is_no_text_is_invalid)
{
    start_with(1);
    expect_drop_chars(COUNT_UDP_DROP_VALUE, "{\"msg_type\":1,\"key\":\"" KEY "\",\"token\":5}");
}

Test(udp_receiver, where_tokens_are_needed_what_has_none_goes_nowhere)
{
    needs_token = true;
    start_with(1);
    put_chars("{\"msg_type\":1,\"key\":\"" KEY "\",\"name\":\"without\"}");
    put_chars("{\"msg_type\":1,\"key\":\"" KEY "\",\"token\":\"0123456789012345678901\"}");
    struct message *message = receive(0);
    cr_assert_eq(message->records->count, 1);
    cr_assert(!record_has(message->records->items[0], ENTITY_NAME));
    cr_assert_eq(counter_get(COUNT_UDP_DROP_TOKEN), 1);
    message_destroy(&message);
}

static mailbox_t *streamer;

// The next message of control datagrams.
static struct message *
receive_controls(void)
{
    struct message *message = mailbox_receive(streamer, PATIENCE_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, FEED_CONTROL);
    return message;
}

static void
end_with_streamer(void)
{
    end();
    mailbox_destroy(&streamer);
}

// A HELLO of `size` bytes with `padding` after its JSON.
static void
put_hello(size_t size, char padding)
{
    static const char json[] = "{\"msg_type\":60,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\"}";
    char datagram[1024];
    memset(datagram, padding, sizeof datagram);
    memcpy(datagram, json, sizeof json - 1);
    put(datagram, size);
}

Test(udp_receiver, what_a_device_says_of_its_feed_goes_to_the_streamer, .fini = end_with_streamer)
{
    cr_assert_eq(mailbox_create("streamer", true, &streamer), OK);
    start_with(1);
    put_hello(256, ' ');
    struct message *message = receive_controls();
    const struct feed_control *control = &feed_controls_of(message)->items[0];
    cr_assert_eq(feed_controls_of(message)->count, 1);
    cr_assert_eq(control->type, CONTROL_HELLO);
    cr_assert_eq(strlen(control->token_hash), 32);
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    getsockname(client, (struct sockaddr *)&bound, &size);
    cr_assert_eq(control->source.v4.sin_port, bound.sin_port);
    cr_assert_eq(control->source.v4.sin_addr.s_addr, bound.sin_addr.s_addr);
    message_destroy(&message);
}

Test(udp_receiver, zero_bytes_and_unknown_members_pad_too, .fini = end_with_streamer)
{
    char datagram[512];
    cr_assert_eq(mailbox_create("streamer", true, &streamer), OK);
    start_with(1);
    put_hello(300, '\0');
    struct message *message = receive_controls();
    message_destroy(&message);
    snprintf(datagram, sizeof datagram,
             "{\"msg_type\":60,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"pad\":\"%0200d\"}", 0);
    put_chars(datagram);
    message = receive_controls();
    message_destroy(&message);
}

Test(udp_receiver, echo_and_repeat_bring_what_they_say, .fini = end_with_streamer)
{
    cr_assert_eq(mailbox_create("streamer", true, &streamer), OK);
    start_with(1);
    put_chars("{\"msg_type\":62,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\","
              "\"challenge\":\"0123456789abcdef0123456789abcdef\"}");
    struct message *message = receive_controls();
    const struct feed_control *control = &feed_controls_of(message)->items[0];
    cr_assert_eq(control->type, CONTROL_ECHO);
    cr_assert_str_eq(control->challenge, "0123456789abcdef0123456789abcdef");
    message_destroy(&message);
    put_chars("{\"msg_type\":63,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"from\":7,\"to\":9}");
    message = receive_controls();
    control = &feed_controls_of(message)->items[0];
    cr_assert_eq(control->type, CONTROL_REPEAT);
    cr_assert_eq(control->from, 7);
    cr_assert_eq(control->to, 9);
    message_destroy(&message);
}

Test(udp_receiver, control_datagrams_that_say_nothing_are_counted)
{
    static const char *const invalid[] = {
        "{\"msg_type\":60,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\"}",
        "{\"msg_type\":62,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\"}",
        "{\"msg_type\":62,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"challenge\":\"00\"}",
        "{\"msg_type\":62,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"challenge\":5}",
        "{\"msg_type\":63,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"from\":9,\"to\":7}",
        "{\"msg_type\":63,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"from\":-1,\"to\":7}",
        "{\"msg_type\":63,\"token\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"from\":1.5,\"to\":7}"};
    static const char *const nobodys[] = {
        "{\"msg_type\":60}", "{\"msg_type\":62,\"token\":5}",
        "{\"msg_type\":63,\"token\":\"AAAAAAAAAAAAAAAAAAAAA\",\"from\":1,\"to\":7}"};
    start_with(1);
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        expect_drop_chars(COUNT_UDP_DROP_VALUE, invalid[i]);
    for (size_t i = 0; i < sizeof nobodys / sizeof nobodys[0]; i++)
        expect_drop_chars(COUNT_UDP_DROP_TOKEN, nobodys[i]);
    expect_drop_chars(COUNT_UDP_DROP_TYPE, "{\"msg_type\":61,\"challenge\":\"00\"}");
}

Test(udp_receiver, a_streamer_that_does_not_keep_up_holds_nothing_up, .fini = end_with_streamer)
{
    cr_assert_eq(mailbox_create("streamer", true, &streamer), OK);
    start_with(1);
    // One message at least for each 64 of them, and the streamer takes none.
    for (int i = 0; i < 64 * (CONTROLS_UNDER_WAY + 4); i++) {
        put_hello(256, ' ');
        if (i % 64 == 63)
            wait_for_marker();
    }
    cr_assert_geq(counter_get(COUNT_UDP_DROP_BUSY), 64);
    unsigned messages = 0;
    struct message *message;
    while ((message = mailbox_receive(streamer, 0)) != NULL) {
        messages++;
        message_destroy(&message);
    }
    cr_assert_eq(messages, CONTROLS_UNDER_WAY);
    put_hello(256, ' ');
    message = receive_controls();
    message_destroy(&message);
}

// A mailbox has at most 256 peers, so the last of 257 shards refuses messages like a full one.
Test(udp_receiver, what_a_shard_does_not_take_is_counted_as_busy)
{
    start_with(MAX_SHARDS);
    for (unsigned shard = 0; shard < MAX_SHARDS; shard++) {
        char key[32];
        snprintf(key, sizeof key, "%03x%021x", shard, 0);
        put_update(key, "a");
        struct message *message =
            shard < MAX_SHARDS - 1 ? mailbox_receive(mailboxes[shard], PATIENCE_MS) : NULL;
        message_destroy(&message);
    }
    for (int i = 0; i < PATIENCE_MS && counter_get(COUNT_UDP_DROP_BUSY) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_BUSY), 1);
    cr_assert_null(mailbox_receive(mailboxes[MAX_SHARDS - 1], 0));
}

Test(udp_receiver, it_ends_while_nothing_arrives)
{
    start_with(1);
    udp_receiver_destroy(&receiver);
    cr_assert_null(receiver);
}

Test(udp_receiver, a_port_in_use_is_refused_by_name)
{
    start_with(1);
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    getsockname(udp_socket, (struct sockaddr *)&bound, &size);
    struct config config = {.udp_host = "127.0.0.1", .udp_port = ntohs(bound.sin_port)};
    int second, port;
    cr_assert_eq(udp_open(&config, &second, &port), ERR_UNAVAILABLE);
    cr_assert_not_null(strstr(fault_last()->detail, "127.0.0.1"));
}
