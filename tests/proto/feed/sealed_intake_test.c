// sealed_intake_test.c - which sealed datagrams are taken, once, and of which sessions.
#include "proto/feed/sealed_intake.h"

#include <criterion/criterion.h>

#define TOKEN_HASH "8e110a858144a2f81f7c9fbbd3d28777"
#define KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

static struct arena arena;
static sealed_intake_t *intake;
static struct feed_sealer sealer;
static struct buffer datagram, out;
static struct sealed_sender sender;

// A sealer as the device has it, in a session of its own.
static void
begin(void)
{
    unsigned char key[SEAL_KEY_BYTES], id[SEAL_ID_BYTES];
    cr_assert(feed_seal_read_key(text_from(&arena, KEY), key));
    feed_seal_id(TOKEN_HASH, id);
    feed_sealer_init(&sealer, id, key, SEAL_TO_SERVER);
}

static void
start(void)
{
    arena_init(&arena);
    intake = sealed_intake_create();
    begin();
}

static void
end(void)
{
    sealed_intake_destroy(&intake);
    feed_sealer_finish(&sealer);
    buffer_finish(&datagram);
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(sealed_intake, .init = start, .fini = end);

static const struct device *
device_with(const char *seal_key)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_TOKEN, text_from(&arena, TOKEN_HASH));
    if (seal_key)
        record_set_text(device, DEVICE_SEAL_KEY, text_from(&arena, seal_key));
    return device_of(device);
}

static void
seal(const char *text)
{
    buffer_clear(&datagram);
    feed_sealer_put(&sealer, text, strlen(text), &datagram);
}

// Opens `datagram`; the reason why not, or -1.
static int
take(void)
{
    enum metric_cell reason;
    return sealed_intake_open(intake, datagram.data, datagram.size, &out, &sender, &reason)
               ? -1
               : (int)reason;
}

static void
expect_taken(bool is_admitted)
{
    cr_assert_eq(take(), -1);
    cr_assert_eq(sender.is_admitted, is_admitted);
    cr_assert_str_eq(sender.token_hash, TOKEN_HASH);
}

Test(sealed_intake, the_first_session_of_a_new_registration_is_good)
{
    sealed_intake_put(intake, device_with(KEY), false);
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), 0);
    seal("hi");
    expect_taken(true);
    cr_assert_eq(out.size, 2);
    cr_assert_arr_eq(out.data, "hi", 2);
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), sealer.session);
    cr_assert_eq(take(), COUNT_UDP_DROP_REPLAYED);
    begin();
    seal("hi");
    expect_taken(false);
}

Test(sealed_intake, that_of_a_registration_of_an_earlier_start_is_not)
{
    sealed_intake_put(intake, device_with(KEY), true);
    seal("hi");
    expect_taken(false);
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), 0);
}

Test(sealed_intake, a_session_that_was_admitted_takes_what_was_sealed_after_that)
{
    sealed_intake_put(intake, device_with(KEY), true);
    seal("hi");
    seal("hi");
    expect_taken(false);
    sealed_intake_admit(intake, &sender);
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), sealer.session);
    cr_assert_eq(take(), COUNT_UDP_DROP_REPLAYED);
    sealer.counter = 0; // what was recorded before
    seal("hi");
    cr_assert_eq(take(), COUNT_UDP_DROP_REPLAYED);
    sealer.counter = 2;
    seal("hi");
    expect_taken(true);
    sealed_intake_admit(intake, &sender); // again: the counters stay
    cr_assert_eq(take(), COUNT_UDP_DROP_REPLAYED);
}

Test(sealed_intake, a_session_ends_where_another_is_admitted)
{
    sealed_intake_put(intake, device_with(KEY), false);
    seal("hi");
    expect_taken(true);
    struct feed_sealer first = sealer;
    begin();
    seal("hi");
    expect_taken(false);
    sealed_intake_admit(intake, &sender);
    sealer = first;
    seal("hi");
    expect_taken(false);
}

Test(sealed_intake, a_record_that_is_put_again_keeps_what_came)
{
    sealed_intake_put(intake, device_with(KEY), false);
    seal("hi");
    expect_taken(true);
    sealed_intake_put(intake, device_with(KEY), false);
    cr_assert_eq(take(), COUNT_UDP_DROP_REPLAYED);
}

Test(sealed_intake, a_registration_that_ended_or_does_not_seal_is_unknown)
{
    seal("hi");
    cr_assert_eq(take(), COUNT_UDP_DROP_TOKEN);
    sealed_intake_put(intake, device_with(NULL), false);
    cr_assert_eq(take(), COUNT_UDP_DROP_TOKEN);
    sealed_intake_put(intake, device_with(KEY), false);
    sealed_intake_remove(intake, device_with(KEY));
    cr_assert_eq(take(), COUNT_UDP_DROP_TOKEN);
    sealed_intake_remove(intake, device_with(KEY));
    memcpy(sender.token_hash, TOKEN_HASH, sizeof sender.token_hash);
    sealed_intake_admit(intake, &sender);
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), 0);
}

Test(sealed_intake, what_is_forged_or_cut_begins_no_session)
{
    sealed_intake_put(intake, device_with(KEY), false);
    seal("hi");
    datagram.data[datagram.size - 1] ^= 1;
    cr_assert_eq(take(), COUNT_UDP_DROP_FORGED);
    datagram.size = 38;
    cr_assert_eq(take(), COUNT_UDP_DROP_JSON);
    datagram.size = 0;
    cr_assert_eq(take(), COUNT_UDP_DROP_JSON);
    cr_assert_eq(sealed_intake_session(intake, TOKEN_HASH), 0);
}
