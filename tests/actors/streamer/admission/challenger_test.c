// challenger_test.c - challenges of sealed devices: what they prove, and that none of before
// counts.
#include "actors/streamer/admission/challenger.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "proto/base/owned.h"

#define TOKEN_HASH "8e110a858144a2f81f7c9fbbd3d28777"
#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
#define NONCE "0123456789abcdef0123456789abcdef"

enum { NOW_MS = 90000, ONE = 1, TWO = 2 };

static struct arena arena;
static sealed_intake_t *intake;
static struct challenger challenger;
static struct registered_device device;
static int sender = -1, client = -1;
static union udp_endpoint at;

static void
start(void)
{
    struct timeval patience = {.tv_sec = 5};
    socklen_t size = sizeof at.v4;
    arena_init(&arena);
    sender = socket(AF_INET, SOCK_DGRAM, 0);
    client = socket(AF_INET, SOCK_DGRAM, 0);
    cr_assert(udp_endpoint_from(AF_INET, "127.0.0.1", 0, &at));
    cr_assert_eq(bind(client, &at.any, size), 0);
    cr_assert_eq(getsockname(client, &at.any, &size), 0);
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    intake = sealed_intake_create();
    challenger_init(&challenger, sender, intake);
    struct record *record = record_new(&arena, &device_schema);
    record_set_text(record, DEVICE_TOKEN, text_from(&arena, TOKEN_HASH));
    record_set_text(record, DEVICE_SEAL_KEY, text_from(&arena, KEY));
    device.frozen = record_freeze(&device_schema, record);
    struct opened room;
    device.subscriber.sealer = device_sealer_create(registered_open(&device, &room));
    sealed_intake_put(intake, registered_open(&device, &room), true);
}

static void
end(void)
{
    device_sealer_unref(&device.subscriber.sealer);
    record_unref(&device.frozen);
    challenger_finish(&challenger);
    sealed_intake_destroy(&intake);
    close(sender);
    close(client);
    arena_finish(&arena);
}

TestSuite(challenger, .init = start, .fini = end);

static struct feed_control
control_of(enum feed_control_type type, uint64_t session)
{
    struct feed_control control = {.type = type, .is_sealed = true, .source = at, .nonce = NONCE};
    control.sender.session = session;
    control.sender.is_admitted = sealed_intake_session(intake, TOKEN_HASH) == session;
    memcpy(control.sender.token_hash, TOKEN_HASH, sizeof control.sender.token_hash);
    memcpy(control.token_hash, TOKEN_HASH, sizeof control.token_hash);
    return control;
}

// The next datagram of the device, opened; valid until the next one.
static const char *
receive(void)
{
    static char text[256];
    char datagram[256];
    unsigned char key[SEAL_KEY_BYTES], derived[SEAL_KEY_BYTES];
    owned(buffer_finish) struct buffer out = {0};
    ssize_t size = recv(client, datagram, sizeof datagram, 0);
    cr_assert_gt(size, 0);
    struct opened room;
    cr_assert(feed_seal_read_key(device_rare_of(registered_open(&device, &room))->seal_key, key));
    feed_seal_derive(key, SEAL_TO_DEVICE, derived);
    cr_assert(feed_seal_open(derived, datagram, (size_t)size, &out));
    cr_assert_lt(out.size, sizeof text);
    memcpy(text, out.data, out.size);
    text[out.size] = '\0';
    return text;
}

// The ECHO of the session that returns the next challenge.
static struct feed_control
echo_of(uint64_t session)
{
    static const char before[] = "{\"msg_type\":61,\"challenge\":\"";
    struct feed_control echo = control_of(CONTROL_ECHO, session);
    const char *text = receive();
    cr_assert_eq(strncmp(text, before, sizeof before - 1), 0, "%s", text);
    memcpy(echo.challenge, text + sizeof before - 1, CHALLENGE_SIZE - 1);
    return echo;
}

static struct feed_control
answered(uint64_t session)
{
    struct feed_control hello = control_of(CONTROL_HELLO, session);
    challenger_answer(&challenger, &device, &hello, NOW_MS);
    return echo_of(session);
}

static bool
check(struct feed_control echo)
{
    return challenger_check(&challenger, &echo, NOW_MS);
}

Test(challenger, the_answer_to_a_sealed_hello_repeats_its_nonce)
{
    struct feed_control hello = control_of(CONTROL_HELLO, ONE);
    challenger_answer(&challenger, &device, &hello, NOW_MS);
    const char *text = receive();
    cr_assert_eq(strlen(text), 105);
    cr_assert_str_eq(text + 61, ",\"nonce\":\"" NONCE "\"}");
}

Test(challenger, an_echo_admits_the_session_that_was_challenged_and_no_other)
{
    struct feed_control echo = answered(ONE), of_another = echo;
    of_another.sender.session = TWO;
    cr_assert_not(check(of_another));
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), 0);
    cr_assert(check(echo));
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), ONE);
}

Test(challenger, an_echo_of_before_brings_no_session_back)
{
    struct feed_control first = answered(ONE);
    cr_assert(check(first));
    cr_assert(check(answered(TWO)));
    cr_assert_not(check(first));
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), TWO);
}

Test(challenger, a_challenge_without_hello_proves_the_address_of_an_admitted_session)
{
    challenger_send(&challenger, &device, &at, NOW_MS);
    struct feed_control echo = echo_of(ONE);
    cr_assert_not(check(echo));
    cr_assert(check(answered(ONE)));
    echo.sender.is_admitted = true;
    cr_assert(check(echo));
}
