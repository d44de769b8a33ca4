// feed_controls_test.c - control datagrams as they are read, and how many messages of them may
// exist.
#include "actors/udp/feed_controls.h"

#include <criterion/criterion.h>
#include <string.h>

#define TOKEN "AAAAAAAAAAAAAAAAAAAAAA"
#define CHALLENGE "0123456789abcdef0123456789abcdef"

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(feed_controls, .fini = end);

static bool
read_sized(const char *text, size_t size, struct feed_control *ret_control,
           enum metric_cell *ret_reason)
{
    const struct json *json;
    cr_assert_eq(json_parse(&arena, text, strlen(text), &json), OK);
    return feed_control_read(json, size, NULL, ret_control, ret_reason);
}

static void
assert_refused(enum metric_cell expected, const char *text)
{
    struct feed_control control;
    enum metric_cell reason;
    cr_assert_not(read_sized(text, CONTROL_HELLO_BYTES, &control, &reason), "%s", text);
    cr_assert_eq(reason, expected, "%s", text);
}

Test(feed_controls, hello_echo_and_repeat_are_controls_and_a_challenge_is_not)
{
    cr_assert(feed_control_is(CONTROL_HELLO));
    cr_assert(feed_control_is(CONTROL_ECHO));
    cr_assert(feed_control_is(CONTROL_REPEAT));
    cr_assert_not(feed_control_is(CONTROL_CHALLENGE));
    cr_assert_not(feed_control_is(-1));
}

Test(feed_controls, a_hello_names_its_token_by_the_hash)
{
    struct feed_control control;
    enum metric_cell reason;
    char hash[FEED_TOKEN_HASH_SIZE];
    cr_assert(feed_token_hash(text_from(&arena, TOKEN), hash));
    cr_assert(read_sized("{\"msg_type\":60,\"token\":\"" TOKEN "\"}", CONTROL_HELLO_BYTES, &control,
                         &reason));
    cr_assert_eq(control.type, CONTROL_HELLO);
    cr_assert_str_eq(control.token_hash, hash);
}

Test(feed_controls, a_hello_smaller_than_256_bytes_is_refused)
{
    struct feed_control control;
    enum metric_cell reason;
    cr_assert_not(read_sized("{\"msg_type\":60,\"token\":\"" TOKEN "\"}", CONTROL_HELLO_BYTES - 1,
                             &control, &reason));
    cr_assert_eq(reason, COUNT_UDP_DROP_VALUE);
}

Test(feed_controls, an_echo_has_the_challenge)
{
    struct feed_control control;
    enum metric_cell reason;
    cr_assert(read_sized("{\"msg_type\":62,\"token\":\"" TOKEN "\",\"challenge\":\"" CHALLENGE
                         "\"}",
                         100, &control, &reason));
    cr_assert_eq(control.type, CONTROL_ECHO);
    cr_assert_str_eq(control.challenge, CHALLENGE);
}

Test(feed_controls, a_sealed_hello_needs_a_nonce_and_no_token)
{
    static const struct sealed_sender sender = {.token_hash = CHALLENGE, .session = 7};
    struct feed_control control;
    enum metric_cell reason;
    const struct json *json;
    cr_assert_eq(json_parse(&arena, "{\"msg_type\":60}", 15, &json), OK);
    cr_assert_not(feed_control_read(json, 256, &sender, &control, &reason));
    cr_assert_eq(reason, COUNT_UDP_DROP_VALUE);
    static const char with[] = "{\"msg_type\":60,\"nonce\":\"" CHALLENGE "\"}";
    cr_assert_eq(json_parse(&arena, with, strlen(with), &json), OK);
    cr_assert(feed_control_read(json, 256, &sender, &control, &reason));
    cr_assert_str_eq(control.nonce, CHALLENGE);
    cr_assert_str_eq(control.token_hash, CHALLENGE);
    cr_assert(control.is_sealed);
    cr_assert_eq(control.sender.session, 7);
}

Test(feed_controls, a_repeat_has_the_first_and_the_last_seq)
{
    struct feed_control control;
    enum metric_cell reason;
    cr_assert(read_sized("{\"msg_type\":63,\"token\":\"" TOKEN "\",\"from\":7,\"to\":9}", 100,
                         &control, &reason));
    cr_assert_eq(control.type, CONTROL_REPEAT);
    cr_assert_eq(control.from, 7);
    cr_assert_eq(control.to, 9);
}

Test(feed_controls, a_control_without_a_good_token_is_refused_as_token)
{
    assert_refused(COUNT_UDP_DROP_TOKEN, "{\"msg_type\":60}");
    assert_refused(COUNT_UDP_DROP_TOKEN, "{\"msg_type\":60,\"token\":1}");
    assert_refused(COUNT_UDP_DROP_TOKEN, "{\"msg_type\":60,\"token\":\"short\"}");
}

Test(feed_controls, members_that_are_missing_or_wrong_are_refused_as_values)
{
#define WITH(members) "{\"token\":\"" TOKEN "\"," members "}"
    assert_refused(COUNT_UDP_DROP_VALUE, WITH("\"msg_type\":62"));
    assert_refused(COUNT_UDP_DROP_VALUE, WITH("\"msg_type\":62,\"challenge\":\"short\""));
    assert_refused(COUNT_UDP_DROP_VALUE,
                   WITH("\"msg_type\":62,\"challenge\":\"0123456789ABCDEF0123456789abcdef\""));
    assert_refused(COUNT_UDP_DROP_VALUE, WITH("\"msg_type\":63,\"from\":1"));
    assert_refused(COUNT_UDP_DROP_VALUE, WITH("\"msg_type\":63,\"from\":-1,\"to\":2"));
    assert_refused(COUNT_UDP_DROP_VALUE, WITH("\"msg_type\":63,\"from\":3,\"to\":2"));
    assert_refused(COUNT_UDP_DROP_VALUE, WITH("\"msg_type\":63,\"from\":1.5,\"to\":2"));
}

Test(feed_controls, only_16_messages_exist_at_a_time)
{
    struct feed_controls *all[CONTROLS_UNDER_WAY];
    for (int i = 0; i < CONTROLS_UNDER_WAY; i++)
        cr_assert_not_null(all[i] = feed_controls_create());
    cr_assert_null(feed_controls_create());
    all[0]->base.destroy(&all[0]->base);
    cr_assert_not_null(all[0] = feed_controls_create());
    for (int i = 0; i < CONTROLS_UNDER_WAY; i++)
        all[i]->base.destroy(&all[i]->base);
}
