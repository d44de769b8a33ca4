// sealed_link_test.c - what a sealed device takes from the server, against a server of the test.
#include "tools/cli/sealed_link.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/arena.h"

#define ANSWER(members) "{\"udp\":{\"state\":\"active\"" members "}}"
#define KEYS                                                                                       \
    ",\"seal_id\":\"8e110a858144a2f8\","                                                           \
    "\"seal_key\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\""

static struct arena arena;
static struct sealed_link self;
static struct feed_sealer server; // as it is after its newest start
static struct buffer datagram;

static fallible
begin(const char *answer)
{
    const struct json *json;
    cr_assert_eq(json_parse(&arena, answer, strlen(answer), &json), OK);
    return sealed_link_begin(&self, json);
}

static void
restart(void)
{
    unsigned char key[SEAL_KEY_BYTES], id[SEAL_ID_BYTES];
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)i;
    cr_assert(feed_seal_read_id("8e110a858144a2f8", id));
    feed_sealer_init(&server, id, key, SEAL_TO_DEVICE);
}

static void
start(void)
{
    arena_init(&arena);
    cr_assert_eq(begin(ANSWER(KEYS)), OK);
    restart();
}

static void
end(void)
{
    sealed_link_finish(&self);
    buffer_finish(&datagram);
    arena_finish(&arena);
}

TestSuite(sealed_link, .init = start, .fini = end);

static void
say(const char *text)
{
    buffer_clear(&datagram);
    feed_sealer_put(&server, text, strlen(text), &datagram);
}

static bool
takes(void)
{
    return sealed_link_open(&self, datagram.data, datagram.size) != NULL;
}

static void
say_challenge(const char *nonce)
{
    char text[200];
    snprintf(text, sizeof text, "{\"msg_type\":61,\"challenge\":\"x\",\"nonce\":\"%s\"}", nonce);
    say(text);
}

Test(sealed_link, what_the_server_says_is_taken_once)
{
    say("hi");
    const struct buffer *opened = sealed_link_open(&self, datagram.data, datagram.size);
    cr_assert(opened);
    cr_assert_eq(opened->size, 2);
    cr_assert_arr_eq(opened->data, "hi", 2);
    cr_assert_not(takes());
}

Test(sealed_link, what_the_device_says_has_the_key_of_the_other_direction)
{
    unsigned char key[SEAL_KEY_BYTES], derived[SEAL_KEY_BYTES];
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)i;
    const struct buffer *sealed = sealed_link_seal(&self, "hi", 2);
    cr_assert_eq(sealed->size, 41);
    feed_seal_derive(key, SEAL_TO_SERVER, derived);
    cr_assert(feed_seal_open(derived, sealed->data, sealed->size, &datagram));
    buffer_clear(&datagram);
    buffer_put(&datagram, sealed->data, sealed->size);
    cr_assert_not(takes(), "its own datagram");
}

Test(sealed_link, another_session_is_taken_when_it_answers_the_newest_hello)
{
    char first[CHALLENGE_SIZE], second[CHALLENGE_SIZE];
    say("hi");
    cr_assert(takes());
    restart();
    say("hi");
    cr_assert_not(takes());
    cr_assert(self.is_strange);
    memcpy(first, sealed_link_draw_nonce(&self), sizeof first);
    memcpy(second, sealed_link_draw_nonce(&self), sizeof second);
    cr_assert_eq(strspn(second, "0123456789abcdef"), 32);
    say_challenge(first);
    cr_assert_not(takes());
    say_challenge("");
    cr_assert_not(takes());
    say_challenge(second);
    cr_assert(takes());
    cr_assert_not(self.is_strange);
    say("hi");
    cr_assert(takes());
}

Test(sealed_link, an_answer_that_was_recorded_brings_no_session_back)
{
    say("hi");
    cr_assert(takes());
    struct feed_sealer old = server;
    restart();
    char nonce[CHALLENGE_SIZE];
    memcpy(nonce, sealed_link_draw_nonce(&self), sizeof nonce);
    say_challenge(nonce);
    cr_assert(takes());
    server = old;
    say_challenge(nonce);
    cr_assert_not(takes());
}

Test(sealed_link, what_is_forged_or_in_the_clear_is_not_taken)
{
    say("hi");
    datagram.data[datagram.size - 1] ^= 1;
    cr_assert_not(takes());
    datagram.size = 38;
    cr_assert_not(takes());
    buffer_clear(&datagram);
    buffer_put_chars(&datagram, "{\"msg_type\":1}");
    cr_assert_not(takes());
    cr_assert_not(self.has_session);
}

Test(sealed_link, an_answer_without_a_key_is_told)
{
    cr_assert_eq(begin("{}"), ERR_CONFLICT);
    cr_assert_eq(begin(ANSWER("")), ERR_CONFLICT);
    cr_assert_eq(begin(ANSWER(",\"seal_id\":\"8e110a858144a2f8\",\"seal_key\":\"short\"")),
                 ERR_CONFLICT);
}
