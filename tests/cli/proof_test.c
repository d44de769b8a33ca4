// proof_test.c - what a device says so that a server sends to it, over loopback.
#include "tools/cli/proof.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/arena.h"
#include "tools/cli/udp_socket.h"

#define TOKEN "AAAAAAAAAAAAAAAAAAAAAA"

static struct arena arena;
static int server = -1, device = -1;
static uint16_t server_port;
static struct proof proof;

static void
start(void)
{
    uint16_t port;
    arena_init(&arena);
    cr_assert_eq(udp_socket_bind("127.0.0.1", 0, &server, &server_port), OK);
    cr_assert_eq(udp_socket_bind("127.0.0.1", 0, &device, &port), OK);
}

static void
end(void)
{
    close(server);
    close(device);
    arena_finish(&arena);
}

TestSuite(proof, .init = start, .fini = end);

// The answer of a registration whose feed is in this state.
static void
begin(const char *state)
{
    char answer[256];
    const struct json *json;
    snprintf(answer, sizeof answer,
             "{\"event_destination_host\":\"127.0.0.1\",\"event_destination_port\":%u,"
             "\"udp\":{\"state\":\"%s\",\"token\":\"" TOKEN "\"}}",
             server_port, state);
    cr_assert_eq(json_parse(&arena, answer, strlen(answer), &json), OK);
    cr_assert_eq(proof_begin(&proof, device, json, NULL), OK);
}

// What the server received, "" where nothing came; loopback delivers at once.
static const char *
heard(size_t *ret_size)
{
    static char datagram[1024];
    ssize_t size = recv(server, datagram, sizeof datagram - 1, MSG_DONTWAIT);
    *ret_size = size < 0 ? 0 : (size_t)size;
    datagram[*ret_size] = '\0';
    return datagram;
}

static void
expect_hello(uint64_t now_ms, bool said)
{
    static const char hello[] = "{\"msg_type\":60,\"token\":\"" TOKEN "\"} ";
    size_t size;
    proof_turn(&proof, now_ms);
    const char *datagram = heard(&size);
    cr_expect_eq(size, said ? 256 : 0);
    cr_expect(!said || strncmp(datagram, hello, sizeof hello - 1) == 0, "%s", datagram);
}

Test(proof, hello_is_said_more_and_more_seldom)
{
    static const uint64_t waits_ms[] = {500, 1000, 2000, 4000, 8000, 16000, 20000, 20000};
    begin("pending");
    uint64_t now_ms = proof.due_ms;
    expect_hello(now_ms, true);
    for (size_t i = 0; i < sizeof waits_ms / sizeof waits_ms[0]; i++) {
        cr_expect_eq(proof_timeout_ms(&proof, now_ms, 60000), waits_ms[i]);
        expect_hello(now_ms + waits_ms[i] - 1, false);
        now_ms += waits_ms[i];
        expect_hello(now_ms, true);
    }
}

Test(proof, a_feed_that_is_active_needs_none)
{
    begin("active");
    expect_hello(UINT64_MAX, false);
    cr_assert_eq(proof_timeout_ms(&proof, 5, 60000), 60000);
}

Test(proof, a_challenge_goes_back_to_the_server)
{
    static const char challenge[] =
        "{\"msg_type\":61,\"challenge\":\"0123456789abcdef0123456789abcdef\"}";
    size_t size;
    begin("pending");
    cr_assert(proof_take(&proof, challenge, sizeof challenge - 1));
    cr_assert_str_eq(heard(&size), "{\"msg_type\":62,\"token\":\"" TOKEN
                                   "\",\"challenge\":\"0123456789abcdef0123456789abcdef\"}");
}

Test(proof, other_datagrams_are_left_alone)
{
    static const char *const others[] = {"{\"msg_type\":1,\"key\":\"x\"}", "{\"msg_type\":61",
                                         "[61]", "\x95\x01\x02\x03\x04\x90", ""};
    size_t size;
    begin("pending");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect(!proof_take(&proof, others[i], strlen(others[i])), "%s", others[i]);
    cr_expect_eq(strlen(heard(&size)), 0);
}

Test(proof, a_server_without_tokens_is_told_nothing)
{
    static const char answer[] = "{\"udp\":{\"state\":\"pending\"}}";
    const struct json *json;
    cr_assert_eq(json_parse(&arena, answer, sizeof answer - 1, &json), OK);
    cr_assert_eq(proof_begin(&proof, device, json, NULL), OK);
    cr_assert_eq(proof_timeout_ms(&proof, 5, 60000), 60000);
    cr_assert(!proof_take(&proof, "{\"msg_type\":61,\"challenge\":\"x\"}", 31));
}

Test(proof, what_did_not_come_is_asked_for_again)
{
    size_t size;
    begin("active");
    proof_ask_again(&proof, 5, 9);
    cr_expect_str_eq(heard(&size), "{\"msg_type\":63,\"token\":\"" TOKEN "\",\"from\":5,\"to\":9}");
}

Test(proof, without_a_token_nothing_is_asked_for)
{
    size_t size;
    proof = (struct proof){.udp = device};
    proof_ask_again(&proof, 5, 9);
    heard(&size);
    cr_expect_eq(size, 0);
}
