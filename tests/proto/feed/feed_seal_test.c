// feed_seal_test.c - golden packets of sealed datagrams, made by Python's hashlib and libsodium
// (tests/system/sealed.py); and what is not opened.
#include "proto/feed/feed_seal.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "tests/support/hex.h"

#define UPDATE                                                                                     \
    "{\"msg_type\":1,\"key\":\"5b98880a270698496c36e392\",\"transform\":[1.0,0.0,0.0,5.0,0.0,1.0," \
    "0.0,6.0,0.0,0.0,1.0,7.0,0.0,0.0,0.0,1.0]}"
#define SEALED_UPDATE                                                                              \
    "d18e110a858144a2f81112131415161718000000000005817905302bbca127e560ef35cb6ff96830cd85544cb2"   \
    "3e072c36f502b3097c56791c09a255db4d8e2d4b4ac1a5c4f7967646ee20532577c4289ed0766d2ee8b256c018"   \
    "8b2081305091326a095f837c571936b180f1aa39497fa7d018bab3f56c07d349647daff5d2f62ec8a3aa40726e"   \
    "35362924c41e79bbbd9c8f38b3f8e0d9d5dea3194e320f3bdb222aed1b"
#define PACKED "960103cd073bcd073b0090"
#define SEALED_PACKED                                                                              \
    "d18e110a858144a2f81112131415161718ffffffffffff7ad306bec29d7d334cb948d064d6f0a212e1909f322d6b" \
    "87fb9d6f"
#define TOKEN_HASH "8e110a858144a2f81f7c9fbbd3d28777"

static struct arena arena;
static struct buffer out;
static struct feed_sealer sealer;
static unsigned char key[SEAL_KEY_BYTES]; // 00 01 02 ... 1f
static unsigned char id[SEAL_ID_BYTES];

static void
start(void)
{
    arena_init(&arena);
    for (unsigned i = 0; i < SEAL_KEY_BYTES; i++)
        key[i] = (unsigned char)i;
    feed_seal_id(TOKEN_HASH, id);
}

static void
end(void)
{
    feed_sealer_finish(&sealer);
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(feed_seal, .init = start, .fini = end);

// A sealer whose session has the bytes 11 12 ... 18.
static void
start_sealer(enum seal_direction direction, uint64_t counter)
{
    static const unsigned char session[] = {0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
    feed_sealer_init(&sealer, id, key, direction);
    struct seal_head head;
    memcpy(&sealer.session, session, sizeof session);
    memcpy(head.id, id, sizeof head.id);
    head.session = sealer.session;
    feed_seal_session_key(sealer.key, &head, sealer.session_key);
    sealer.counter = counter;
}

static bool
open_as(enum seal_direction direction, const void *data, size_t size)
{
    unsigned char derived[SEAL_KEY_BYTES];
    buffer_clear(&out);
    feed_seal_derive(key, direction, derived);
    return feed_seal_open(derived, data, size, &out);
}

Test(feed_seal, the_golden_packet_of_a_device)
{
    start_sealer(SEAL_TO_SERVER, 5);
    feed_sealer_put(&sealer, UPDATE, strlen(UPDATE), &out);
    hex_expect(&out, SEALED_UPDATE);
    cr_assert_eq(out.size, strlen(UPDATE) + 39);
}

Test(feed_seal, the_golden_packet_of_the_server_with_the_last_counter)
{
    size_t size;
    const char *packed = hex_bytes(&arena, PACKED, &size);
    start_sealer(SEAL_TO_DEVICE, SEAL_COUNTER_END - 1);
    feed_sealer_put(&sealer, packed, size, &out);
    hex_expect(&out, SEALED_PACKED);
}

Test(feed_seal, each_direction_has_a_key_of_its_own)
{
    static const char *const expected[] = {
        [SEAL_TO_SERVER] = "390d3c51898d059d4f713d7e7f93f7d02fcda037f9356c90c158b285a1a65427",
        [SEAL_TO_DEVICE] = "f9f592c3f91003525d6d61ce587ce230ccd47ca2a2dedec3f6f8cc33cfec4b2d"};
    for (int direction = SEAL_TO_SERVER; direction <= SEAL_TO_DEVICE; direction++) {
        unsigned char derived[SEAL_KEY_BYTES];
        feed_seal_derive(key, (enum seal_direction)direction, derived);
        buffer_clear(&out);
        buffer_put(&out, derived, sizeof derived);
        hex_expect(&out, expected[direction]);
    }
}

Test(feed_seal, what_was_sealed_is_opened_with_the_key_of_its_direction_alone)
{
    size_t size;
    const char *sealed = hex_bytes(&arena, SEALED_UPDATE, &size);
    struct seal_head head;
    cr_assert(feed_seal_is(sealed, size));
    cr_assert(feed_seal_read_head(sealed, size, &head));
    cr_expect_eq(head.counter, 5);
    cr_expect_arr_eq(head.id, id, sizeof id);
    cr_assert(open_as(SEAL_TO_SERVER, sealed, size));
    cr_assert_eq(out.size, strlen(UPDATE));
    cr_assert_arr_eq(out.data, UPDATE, strlen(UPDATE));
    cr_assert_not(open_as(SEAL_TO_DEVICE, sealed, size));
}

Test(feed_seal, a_datagram_with_one_other_bit_is_not_opened)
{
    size_t size;
    const char *sealed = hex_bytes(&arena, SEALED_UPDATE, &size);
    for (size_t i = 0; i < size * 8; i++) {
        unsigned char wrong[256];
        memcpy(wrong, sealed, size);
        wrong[i / 8] ^= (unsigned char)(1U << i % 8);
        cr_assert_not(open_as(SEAL_TO_SERVER, wrong, size), "bit %zu", i);
        cr_assert_eq(out.size, 0);
    }
}

Test(feed_seal, a_datagram_that_was_cut_is_not_opened)
{
    size_t size;
    struct seal_head head;
    const char *sealed = hex_bytes(&arena, SEALED_UPDATE, &size);
    for (size_t shorter = 0; shorter < size; shorter++) {
        cr_assert_not(open_as(SEAL_TO_SERVER, sealed, shorter), "%zu bytes", shorter);
        cr_assert_eq(feed_seal_read_head(sealed, shorter, &head), shorter >= 39);
    }
}

Test(feed_seal, after_the_last_counter_a_new_session_begins)
{
    struct seal_head last, next;
    start_sealer(SEAL_TO_DEVICE, SEAL_COUNTER_END - 1);
    feed_sealer_put(&sealer, "", 0, &out);
    feed_sealer_put(&sealer, "", 0, &out);
    cr_assert(feed_seal_read_head(out.data, 39, &last));
    cr_assert(feed_seal_read_head(out.data + 39, 39, &next));
    cr_assert_eq(last.counter, SEAL_COUNTER_END - 1);
    cr_assert_eq(next.counter, 0);
    cr_assert_neq(next.session, last.session);
}

Test(feed_seal, sealers_of_one_key_have_different_sessions)
{
    struct feed_sealer other;
    feed_sealer_init(&sealer, id, key, SEAL_TO_DEVICE);
    feed_sealer_init(&other, id, key, SEAL_TO_DEVICE);
    cr_assert_neq(sealer.session, other.session);
    feed_sealer_finish(&other);
}

Test(feed_seal, a_key_is_43_characters_and_no_two_are_the_same)
{
    char first[SEAL_KEY_SIZE], second[SEAL_KEY_SIZE];
    unsigned char read[SEAL_KEY_BYTES];
    feed_seal_draw_key(first);
    feed_seal_draw_key(second);
    cr_assert_str_neq(first, second);
    cr_assert(feed_seal_read_key(text_from(&arena, first), read));
    cr_assert(
        feed_seal_read_key(text_from(&arena, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"), read));
    cr_assert_arr_eq(read, key, sizeof key);
    cr_assert_not(feed_seal_read_key(NULL, read));
    cr_assert_not(feed_seal_read_key(text_from(&arena, ""), read));
    cr_assert_not(
        feed_seal_read_key(text_from(&arena, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh="), read));
}

Test(feed_seal, an_id_is_16_hex_digits)
{
    unsigned char read[SEAL_ID_BYTES];
    cr_assert(feed_seal_read_id("8e110a858144a2f8", read));
    cr_assert_arr_eq(read, id, sizeof id);
    cr_assert_not(feed_seal_read_id("", read));
    cr_assert_not(feed_seal_read_id("8e110a858144a2f", read));
    cr_assert_not(feed_seal_read_id("8e110a858144a2fg", read));
}
