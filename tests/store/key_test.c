// key_test.c - the layout of store keys: golden bytes, and order as a property.
#include "store/key.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "actors/asset/asset_family.h"
#include "actors/runtime/actor_family.h"
#include "actors/scene/scene_family.h"
#include "actors/streamer/streamer_family.h"
#include "actors/user/user_family.h"
#include "proto/base/owned.h"

enum { ROUNDS = 20000 };

static void
check_bytes(struct key key, const char *expected, size_t size)
{
    cr_assert_eq(key.size, size, "%zu bytes instead of %zu", key.size, size);
    cr_assert_arr_eq(key.data, expected, size);
}

#define CHECK_BYTES(key, literal) check_bytes((key), (literal), sizeof(literal) - 1)

static int
compare_bytes(struct bytes a, struct bytes b)
{
    int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int
sign(int number)
{
    return (number > 0) - (number < 0);
}

// The sequence is the same in every run.
static uint64_t
next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// Short texts over few, extreme bytes: prefixes of one another are frequent.
static const struct text *
random_text(struct arena *arena, uint64_t *state)
{
    static const unsigned char alphabet[] = {0x01, 0x02, 0x2f, 'a', 'b', 0x7f, 0x80, 0xfe, 0xff};
    char bytes[8];
    size_t size = next_random(state) % sizeof bytes;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)alphabet[next_random(state) % sizeof alphabet];
    return text_new(arena, bytes, size);
}

// Near one another, near powers of 256 and at the ends.
static uint64_t
random_id(uint64_t *state)
{
    static const uint64_t bases[] = {1, 255, 256, 65535, 1ull << 32, 1ull << 63, UINT64_MAX};
    return bases[next_random(state) % 7] - next_random(state) % 2;
}

static key_tag_t
random_tag(uint64_t *state)
{
    static const key_tag_t tags[] = {KEY_OBJECT, KEY_PROPERTY, KEY_DEVICE, KEY_EVIDENCE};
    return tags[next_random(state) % 4];
}

Test(key, a_scene_key_follows_its_tag)
{
    owned(arena_finish) struct arena arena = {0};
    CHECK_BYTES(key_of_text(KEY_SCENE, text_from(&arena, "hall")), "\x53\x68\x61\x6c\x6c");
}

Test(key, an_object_key_follows_the_big_endian_scene_id)
{
    owned(arena_finish) struct arena arena = {0};
    CHECK_BYTES(key_of_number_and_text(KEY_OBJECT, 0x0102030405060708, text_from(&arena, "a1")),
                "\x4f\x01\x02\x03\x04\x05\x06\x07\x08\x61\x31");
}

Test(key, a_prefix_is_the_tag_or_the_tag_and_the_scene_id)
{
    CHECK_BYTES(key_of_tag(KEY_SCENE), "\x53");
    CHECK_BYTES(key_of_number(KEY_PROPERTY, 255), "\x50\0\0\0\0\0\0\0\xff");
}

Test(key, after_a_prefix_comes_its_last_byte_plus_one_without_trailing_ff)
{
    struct key prefix = key_of_number(KEY_PROPERTY, 255);
    CHECK_BYTES(key_after(&prefix), "\x50\0\0\0\0\0\0\x01");
    prefix = key_of_number(KEY_PROPERTY, UINT64_MAX);
    CHECK_BYTES(key_after(&prefix), "\x51");
    prefix = key_of_tag(KEY_SCENE);
    CHECK_BYTES(key_after(&prefix), "\x54");
}

Test(key, nothing_bounds_a_prefix_of_ff_alone)
{
    struct key prefix = {.data = {0xff, 0xff}, .size = 2};
    cr_assert_eq(key_after(&prefix).size, 0);
}

// The table in README.md: "BZ" are in the families of all actors that write.
Test(key, each_tag_is_the_letter_of_the_table)
{
    const key_tag_t tags[] = {KEY_OUTBOX,     KEY_COMMIT,  KEY_SCENE,    KEY_OBJECT,
                              KEY_PROPERTY,   KEY_DEVICE,  KEY_EVIDENCE, KEY_LOOKUP,
                              KEY_SWEEP,      KEY_ASSET,   KEY_HISTORY,  KEY_RELATIONSHIP,
                              KEY_COLLECTION, KEY_PROJECT, KEY_USER,     KEY_SESSION,
                              KEY_CLAIM,      KEY_SECRET,  KEY_EPOCH,    KEY_START};
    const char letters[] = "BZ"
                           "SOPDEKX"
                           "AHRLJ"
                           "UTGY"
                           "NS";
    for (size_t i = 0; i < sizeof letters - 1; i++)
        cr_assert_eq(key_of_tag(tags[i]).data[0], letters[i]);
}

Test(key, what_was_composed_is_taken_apart_again)
{
    owned(arena_finish) struct arena arena = {0};
    const struct text *text = text_new(&arena, "a\0b/\xff", 5);
    struct key key = key_of_number_and_text(KEY_DEVICE, 0xfedcba9876543210, text);
    uint64_t scene_id = 0;
    cr_assert(key_number(key_bytes(&key), &scene_id));
    cr_assert_eq(scene_id, 0xfedcba9876543210);
    cr_assert(text_equal(key_text_after_number(&arena, key_bytes(&key)), text));
    key = key_of_text(KEY_LOOKUP, text);
    cr_assert(text_equal(key_text(&arena, key_bytes(&key)), text));
}

Test(key, a_key_too_short_has_no_scene_id_and_no_text)
{
    owned(arena_finish) struct arena arena = {0};
    uint64_t scene_id = 7;
    struct bytes key = {"O1234567", 8};
    cr_assert_not(key_number(key, &scene_id));
    cr_assert_eq(scene_id, 7);
    cr_assert_null(key_text_after_number(&arena, key));
    cr_assert_null(key_text(&arena, (struct bytes){"", 0}));
}

Test(key, a_text_longer_than_fits_is_cut)
{
    owned(arena_finish) struct arena arena = {0};
    char long_text[KEY_MAX * 2];
    memset(long_text, 'x', sizeof long_text);
    struct key key =
        key_of_number_and_text(KEY_OBJECT, 1, text_new(&arena, long_text, sizeof long_text));
    cr_assert_eq(key.size, KEY_MAX);
    cr_assert_eq(key.data[KEY_MAX - 1], 'x');
}

Test(key, numbers_are_eight_bytes_big_endian)
{
    unsigned char bytes[8];
    key_put_u64(bytes, 0x0102030405060708);
    cr_assert_arr_eq(bytes, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    cr_assert_eq(key_get_u64(bytes), 0x0102030405060708);
    key_put_u64(bytes, UINT64_MAX);
    cr_assert_eq(key_get_u64(bytes), UINT64_MAX);
}

Test(key, keys_in_scenes_sort_by_tag_then_scene_id_then_text)
{
    uint64_t state = 20261121;
    for (int round = 0; round < ROUNDS; round++) {
        owned(arena_finish) struct arena arena = {0};
        key_tag_t tags[] = {random_tag(&state), random_tag(&state)};
        uint64_t ids[] = {random_id(&state), random_id(&state)};
        const struct text *texts[] = {random_text(&arena, &state), random_text(&arena, &state)};
        int expected = tags[0] != tags[1] ? (tags[0] > tags[1] ? 1 : -1)
                       : ids[0] != ids[1] ? (ids[0] > ids[1] ? 1 : -1)
                                          : sign(text_compare(texts[0], texts[1]));
        struct key a = key_of_number_and_text(tags[0], ids[0], texts[0]);
        struct key b = key_of_number_and_text(tags[1], ids[1], texts[1]);
        cr_assert_eq(sign(compare_bytes(key_bytes(&a), key_bytes(&b))), expected);
    }
}

Test(key, keys_of_texts_sort_by_tag_then_text)
{
    uint64_t state = 4711;
    for (int round = 0; round < ROUNDS; round++) {
        owned(arena_finish) struct arena arena = {0};
        key_tag_t tags[] = {random_tag(&state), random_tag(&state)};
        const struct text *texts[] = {random_text(&arena, &state), random_text(&arena, &state)};
        int expected = tags[0] != tags[1] ? (tags[0] > tags[1] ? 1 : -1)
                                          : sign(text_compare(texts[0], texts[1]));
        struct key a = key_of_text(tags[0], texts[0]);
        struct key b = key_of_text(tags[1], texts[1]);
        cr_assert_eq(sign(compare_bytes(key_bytes(&a), key_bytes(&b))), expected);
    }
}

// Tight: a key not below the prefix begins with it exactly if it is below the key after it.
Test(key, after_a_prefix_is_the_tight_upper_bound)
{
    uint64_t state = 99;
    int inside = 0, beyond = 0;
    for (int round = 0; round < ROUNDS; round++) {
        owned(arena_finish) struct arena arena = {0};
        struct key prefix =
            key_of_number_and_text(KEY_OBJECT, random_id(&state), random_text(&arena, &state));
        struct key key =
            key_of_number_and_text(KEY_OBJECT, random_id(&state), random_text(&arena, &state));
        if (next_random(&state) % 4 == 0)
            key = prefix, key.data[key.size++] = (unsigned char)next_random(&state);
        struct key after = key_after(&prefix);
        if (compare_bytes(key_bytes(&key), key_bytes(&prefix)) < 0)
            continue;
        bool begins = memcmp(key.data, prefix.data, prefix.size) == 0;
        cr_assert_eq(begins, compare_bytes(key_bytes(&key), key_bytes(&after)) < 0);
        begins ? inside++ : beyond++;
    }
    cr_assert_gt(inside, ROUNDS / 20, "the property was hardly tried inside");
    cr_assert_gt(beyond, ROUNDS / 20, "the property was hardly tried beyond");
}

Test(key, compares_as_bytes_do)
{
    const struct key short_one = {.data = "Sa", .size = 2}, longer = {.data = "Sab", .size = 3},
                     high = {.data = {'S', 0x80}, .size = 2};
    cr_assert_eq(key_compare(&longer, &longer), 0);
    cr_assert_lt(key_compare(&short_one, &longer), 0);
    cr_assert_gt(key_compare(&longer, &short_one), 0);
    cr_assert_lt(key_compare(&longer, &high), 0);
}
