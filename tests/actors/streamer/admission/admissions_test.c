// admissions_test.c - registrations and control datagrams in, subscribers and challenges out, by
// real sockets of loopback.
#include "actors/streamer/admission/admissions.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/streamer/fanout/subscribers_order.h"
#include "actors/udp/udp_receiver.h"

enum { SCENE = 7, PATIENCE_S = 5 };

#define TOKEN_HASH "0123456789abcdef0123456789abcdef"
#define OTHER_HASH "1123456789abcdef0123456789abcdef"
#define PEER "127.0.0.1"
#define ELSEWHERE "127.0.0.5" // proves nothing by itself

static struct arena arena;
static struct config config;
static int udp_socket = -1;
static int own_port;
static subscribers_t *subscribers;
static sealed_intake_t *intake;
static admissions_t *admissions;

struct client {
    int socket;
    union udp_endpoint at;
};

static struct client client, other;
static const char *peer_address = PEER; // who registers

static struct client
open_client(const char *address)
{
    struct client opened = {.socket = socket(AF_INET, SOCK_DGRAM, 0)};
    struct timeval patience = {.tv_sec = PATIENCE_S};
    socklen_t size = sizeof opened.at.v4;
    cr_assert(udp_endpoint_from(AF_INET, address, 0, &opened.at));
    setsockopt(opened.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    cr_assert_eq(bind(opened.socket, &opened.at.any, size), 0);
    cr_assert_eq(getsockname(opened.socket, &opened.at.any, &size), 0);
    return opened;
}

static void
start(void)
{
    arena_init(&arena);
    config = (struct config){.udp_host = "127.0.0.1", .udp_trusted_networks = "127.0.0.9/32"};
    cr_assert_eq(udp_open(&config, &udp_socket, &own_port), OK);
    subscribers = subscribers_create();
    intake = sealed_intake_create();
    cr_assert_eq(admissions_create(&config, udp_socket, subscribers, intake, &admissions), OK);
    client = open_client(ELSEWHERE);
    other = open_client(ELSEWHERE);
}

static void
end(void)
{
    subscribers_destroy(&subscribers);
    admissions_destroy(&admissions);
    sealed_intake_destroy(&intake);
    close(client.socket);
    close(other.socket);
    close(udp_socket);
    arena_finish(&arena);
}

TestSuite(admissions, .init = start, .fini = end);

// Registers the device `phone`; `host` NULL = without an address.
static void
take(uint8_t msg_type, const char *host, int port, const char *token_hash)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "phone"));
    record_set_text(device, DEVICE_PEER, text_from(&arena, peer_address));
    if (host) {
        record_set_text(device, DEVICE_HOSTNAME, text_from(&arena, host));
        record_set_integer(device, DEVICE_PORT, port);
    }
    if (token_hash)
        record_set_text(device, DEVICE_TOKEN, text_from(&arena, token_hash));
    const frozen_t *frozen = record_freeze(&device_schema, device);
    struct event event = {.scene_id = SCENE, .seq = 3, .record = frozen, .msg_type = msg_type};
    admissions_take(admissions, &event);
    record_unref(&frozen);
}

static void
register_at(const struct client *at)
{
    take(EVENT_DEVICE_REGISTERED, ELSEWHERE, ntohs(at->at.v4.sin_port), TOKEN_HASH);
}

static struct feed_control
control_of(enum feed_control_type type, const struct client *from)
{
    struct feed_control control = {.type = type, .source = from->at};
    memcpy(control.token_hash, TOKEN_HASH, sizeof control.token_hash);
    return control;
}

static void
hello(const struct client *from)
{
    struct feed_control control = control_of(CONTROL_HELLO, from);
    admissions_control(admissions, &control);
}

static void
echo(const struct client *from, const char *challenge)
{
    struct feed_control control = control_of(CONTROL_ECHO, from);
    memcpy(control.challenge, challenge, sizeof control.challenge);
    admissions_control(admissions, &control);
}

// The next challenge that the client receives; "" if there is none.
static const char *
challenge_for(const struct client *at)
{
    static char datagram[256];
    static const char before[] = "{\"msg_type\":61,\"challenge\":\"";
    ssize_t size = recv(at->socket, datagram, sizeof datagram - 1, MSG_DONTWAIT);
    if (size < 0)
        return "";
    cr_assert_eq(size, 62);
    cr_assert_eq(strncmp(datagram, before, sizeof before - 1), 0);
    cr_assert_eq(strncmp(datagram + 60, "\"}", 2), 0);
    datagram[60] = '\0';
    return datagram + sizeof before - 1;
}

static unsigned
count_challenges(const struct client *at)
{
    unsigned count = 0;
    while (*challenge_for(at))
        count++;
    return count;
}

// The only one that gets datagrams; NULL: none does.
static struct subscriber *
the_device(void)
{
    const struct stream *stream = subscribers_stream(subscribers, SCENE);
    for (const struct lane *lane = stream ? stream->lanes : NULL; lane; lane = lane->next)
        if (lane->device_count)
            return lane->devices[0];
    return NULL;
}

// Where datagrams of the device go; port 0 = nowhere.
static int
port_of(void)
{
    const struct subscriber *found = the_device();
    return found && found->state == SUBSCRIBER_REACHABLE
               ? ntohs(found->receiver->endpoint.v4.sin_port)
               : 0;
}

static void
expect_directed_to(const struct client *at)
{
    cr_expect_eq(port_of(), at ? ntohs(at->at.v4.sin_port) : 0);
}

Test(admissions, an_address_that_proved_nothing_is_challenged_at_once)
{
    register_at(&client);
    expect_directed_to(NULL);
    const char *challenge = challenge_for(&client);
    cr_assert_eq(strlen(challenge), 32);
    echo(&client, challenge);
    expect_directed_to(&client);
}

Test(admissions, a_hello_is_challenged_at_its_source)
{
    register_at(&client);
    hello(&other);
    echo(&other, challenge_for(&other));
    expect_directed_to(&other);
}

Test(admissions, a_device_without_an_address_may_prove_one)
{
    take(EVENT_DEVICE_REGISTERED, NULL, 0, TOKEN_HASH);
    cr_assert_eq(count_challenges(&client), 0);
    hello(&client);
    echo(&client, challenge_for(&client));
    expect_directed_to(&client);
}

Test(admissions, a_device_whose_port_changes_is_followed)
{
    register_at(&client);
    echo(&client, challenge_for(&client));
    hello(&other);
    expect_directed_to(&client);
    echo(&other, challenge_for(&other));
    expect_directed_to(&other);
}

Test(admissions, a_challenge_that_went_elsewhere_proves_nothing)
{
    uint64_t before = counter_get(COUNT_UDP_DROP_PROOF);
    register_at(&client);
    echo(&other, challenge_for(&client));
    echo(&client, "00000000000000000000000000000000");
    expect_directed_to(NULL);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_PROOF), before + 2);
}

Test(admissions, nobodys_token_is_not_answered)
{
    uint64_t before = counter_get(COUNT_UDP_DROP_TOKEN);
    take(EVENT_DEVICE_REGISTERED, NULL, 0, OTHER_HASH);
    hello(&client);
    cr_assert_eq(count_challenges(&client), 0);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_TOKEN), before + 1);
}

Test(admissions, a_token_says_nothing_after_its_registration)
{
    register_at(&client);
    echo(&client, challenge_for(&client));
    take(EVENT_DEVICE_REGISTERED, NULL, 0, OTHER_HASH);
    expect_directed_to(NULL);
    hello(&client);
    take(EVENT_DEVICE_REGISTERED, NULL, 0, TOKEN_HASH);
    take(EVENT_DEVICE_DEREGISTERED, NULL, 0, TOKEN_HASH);
    hello(&client);
    cr_assert_eq(count_challenges(&client), 0);
}

Test(admissions, registrations_of_an_earlier_start_are_not_challenged_unasked)
{
    take(EVENT_DEVICE_KNOWN, ELSEWHERE, ntohs(client.at.v4.sin_port), TOKEN_HASH);
    cr_assert_eq(count_challenges(&client), 0);
    hello(&client);
    echo(&client, challenge_for(&client));
    expect_directed_to(&client);
}

Test(admissions, an_address_that_proved_nothing_gets_ten_challenges_in_a_minute)
{
    for (int i = 0; i < 30; i++) {
        register_at(&client);
        hello(&other);
    }
    cr_assert_eq(count_challenges(&client) + count_challenges(&other), 10);
    expect_directed_to(NULL);
}

Test(admissions, the_peer_that_registered_is_answered_thirty_times)
{
    struct client peer = open_client(PEER);
    uint64_t before = counter_get(COUNT_UDP_DROP_BUSY);
    take(EVENT_DEVICE_REGISTERED, NULL, 0, TOKEN_HASH);
    for (int i = 0; i < 40; i++)
        hello(&peer);
    cr_assert_eq(count_challenges(&peer), 30);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_BUSY), before + 10);
    close(peer.socket);
}

// Turns until every name is resolved.
static void
await_names(void)
{
    for (int i = 0; i < PATIENCE_S * 100 && admissions_timeout_ms(admissions) <= 20; i++) {
        usleep(10000);
        admissions_turn(admissions);
    }
}

Test(admissions, a_name_that_leads_elsewhere_is_challenged_there)
{
    struct client named = open_client("127.0.0.1");
    peer_address = ELSEWHERE;
    take(EVENT_DEVICE_REGISTERED, "localhost", ntohs(named.at.v4.sin_port), TOKEN_HASH);
    await_names();
    expect_directed_to(NULL);
    echo(&named, challenge_for(&named));
    expect_directed_to(&named);
    close(named.socket);
}

Test(admissions, a_name_that_leads_to_the_peer_is_sent_to)
{
    struct client named = open_client("127.0.0.1");
    take(EVENT_DEVICE_REGISTERED, "localhost", ntohs(named.at.v4.sin_port), TOKEN_HASH);
    await_names();
    expect_directed_to(&named);
    cr_assert_eq(count_challenges(&named), 0);
    close(named.socket);
}

Test(admissions, a_name_that_leads_where_nothing_may_be_sent_is_passed_over)
{
    struct client named = open_client("127.0.0.1");
    peer_address = "192.0.2.1";
    take(EVENT_DEVICE_REGISTERED, "localhost", ntohs(named.at.v4.sin_port), TOKEN_HASH);
    await_names();
    expect_directed_to(NULL);
    cr_assert_eq(count_challenges(&named), 0);
    close(named.socket);
}

Test(admissions, a_trusted_network_needs_no_challenge)
{
    take(EVENT_DEVICE_REGISTERED, "127.0.0.9", 9000, TOKEN_HASH);
    cr_assert_eq(port_of(), 9000);
}

// As if it came from an address that nothing may be sent to.
static void
hello_from(const char *address, int port)
{
    struct client from;
    cr_assert(udp_endpoint_from(AF_INET, address, port, &from.at));
    hello(&from);
}

Test(admissions, an_address_of_the_never_list_is_not_answered)
{
    uint64_t before = counter_get(COUNT_UDP_DROP_PROOF);
    uint64_t challenges = counter_get(COUNT_UDP_CHALLENGES);
    take(EVENT_DEVICE_REGISTERED, NULL, 0, TOKEN_HASH);
    hello_from("169.254.169.254", 9000);
    hello_from("224.0.0.1", 9000);
    hello_from("255.255.255.255", 9000);
    hello_from("0.0.0.0", 9000);
    hello_from("127.0.0.1", 53);
    hello_from("127.0.0.1", own_port);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_PROOF), before + 6);
    cr_assert_eq(counter_get(COUNT_UDP_CHALLENGES), challenges);
}

Test(admissions, only_a_proven_address_may_ask_for_what_it_missed)
{
    uint64_t before = counter_get(COUNT_UDP_DROP_PROOF);
    register_at(&client);
    struct feed_control repeat = control_of(CONTROL_REPEAT, &client);
    repeat.from = repeat.to = 4;
    admissions_control(admissions, &repeat);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_PROOF), before + 1);
    echo(&client, challenge_for(&client));
    admissions_control(admissions, &repeat);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_PROOF), before + 1);
    repeat.source = other.at;
    admissions_control(admissions, &repeat);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_PROOF), before + 2);
}

Test(admissions, frequent_requests_for_repeats_are_not_all_answered)
{
    register_at(&client);
    echo(&client, challenge_for(&client));
    uint64_t before = counter_get(COUNT_UDP_DROP_BUSY);
    struct feed_control repeat = control_of(CONTROL_REPEAT, &client);
    repeat.from = repeat.to = 4;
    admissions_control(admissions, &repeat);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_BUSY), before);
    for (unsigned i = 0; i < 1000; i++)
        admissions_control(admissions, &repeat);
    cr_assert_gt(counter_get(COUNT_UDP_DROP_BUSY), before);
}

// --- reports ---

// What is said of the feed of "phone".
static struct feed_item
report(void)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "phone"));
    struct feed_item item = {.scene_id = SCENE, .device = record_freeze(&device_schema, device)};
    admissions_report(admissions, &item);
    record_unref(&item.device);
    return item;
}

Test(admissions, the_report_of_a_feed_follows_its_address)
{
    cr_expect_eq(report().state, FEED_NONE);
    register_at(&client);
    cr_expect_eq(report().state, FEED_PENDING);
    cr_expect_str_eq(report().address, "");
    echo(&client, challenge_for(&client));
    struct feed_item item = report();
    cr_expect_eq(item.state, FEED_ACTIVE);
    cr_expect_eq(strncmp(item.address, ELSEWHERE, strlen(ELSEWHERE)), 0, "%s", item.address);
    for (int i = 0; i < RECEIVER_ERRORS; i++)
        subscribers_note_error(subscribers, &client.at, 1000);
    cr_expect_eq(report().state, FEED_PAUSED);
    take(EVENT_DEVICE_DEREGISTERED, NULL, 0, TOKEN_HASH);
    cr_expect_eq(report().state, FEED_NONE);
}

Test(admissions, the_report_tells_when_a_device_was_heard_since_the_start)
{
    take(EVENT_DEVICE_KNOWN, ELSEWHERE, ntohs(client.at.v4.sin_port), TOKEN_HASH);
    cr_expect_eq(report().heard_us, 0);
    hello(&client);
    cr_expect_gt(report().heard_us, 0);
    take(EVENT_DEVICE_REGISTERED, NULL, 0, TOKEN_HASH);
    cr_expect_gt(report().heard_us, 0);
}

Test(admissions, changes_that_are_asked_for_again_count_as_lost_if_they_were_sent)
{
    register_at(&client);
    echo(&client, challenge_for(&client));
    struct subscriber *device = the_device();
    struct feed_control repeat = control_of(CONTROL_REPEAT, &client);
    repeat.from = 1, repeat.to = UINT64_MAX;
    admissions_control(admissions, &repeat);
    cr_expect_eq(report().lost_s, 0, "nothing was sent yet");
    device->lane->sent = 100;
    usleep(50000); // how often a device may ask
    repeat.from = 61;
    admissions_control(admissions, &repeat);
    cr_expect_eq(device->traffic->lost.count + device->traffic->lost.before, 40);
    cr_expect_gt(report().lost_s, 0);
}
