// partition_test.c - owners of keys, and fresh keys.
#include "proto/message/partition.h"

#include <criterion/criterion.h>

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(partition, .fini = finish);
TestSuite(key, .fini = finish);

static const struct text *
text(const char *chars)
{
    return text_from(&arena, chars);
}

// The published values of XXH64 for these bytes.
Test(partition, of_a_scene_is_xxh64_modulo_1024)
{
    cr_assert_eq(partition_of_scene(text("")), 0xef46db3751d8e999u % 1024);
    cr_assert_eq(partition_of_scene(text("a")), 0xd24ec4f1a98c6e5bu % 1024);
    cr_assert_eq(partition_of_scene(text("abc")), 0x44bc2cf5ad770999u % 1024);
}

Test(partition, of_a_generated_key_stands_in_its_first_three_digits)
{
    uint16_t partition = 7777;
    cr_assert(partition_of_key(text("000880a270698496c36e3920"), &partition));
    cr_assert_eq(partition, 0);
    cr_assert(partition_of_key(text("3ff880a270698496c36e3920"), &partition));
    cr_assert_eq(partition, 1023);
    cr_assert(partition_of_key(text("1a2880a270698496c36e3920"), &partition));
    cr_assert_eq(partition, 0x1a2);
}

Test(partition, keys_of_nobody_leave_the_output_alone)
{
    static const char *const keys[] = {
        "400880a270698496c36e3920",  // beyond 3ff
        "3FF880a270698496c36e3920",  // upper case
        "3ff880a270698496c36e392",   // short
        "3ff880a270698496c36e39200", // long
        "3ff880a270698496c36e392g",  // no digit
        "",
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        uint16_t partition = 7777;
        cr_expect_not(partition_of_key(text(keys[i]), &partition), "%s", keys[i]);
        cr_expect_eq(partition, 7777);
    }
}

Test(partition, a_generated_key_belongs_to_its_partition)
{
    for (uint16_t wanted = 0; wanted < PARTITION_COUNT; wanted++) {
        uint16_t partition = 7777;
        const struct text *key = key_generate(&arena, wanted);
        cr_assert_eq(key->size, GENERATED_KEY_SIZE);
        cr_assert(partition_of_key(key, &partition), "%s", key->data);
        cr_assert_eq(partition, wanted);
    }
}

Test(key, generated_ones_differ)
{
    const struct text *a = key_generate(&arena, 5), *b = key_generate(&arena, 5);
    cr_assert_not(text_equal(a, b));
    cr_assert_not(text_equal(key_generate_free(&arena), key_generate_free(&arena)));
}

Test(key, a_seed_makes_the_same_ones_again)
{
    static const unsigned char seed[KEY_SEED_SIZE] = "a seed", other[KEY_SEED_SIZE] = "another";
    uint16_t partition;
    const struct text *key = key_derive(&arena, seed, 7, 1000);
    cr_assert(partition_of_key(key, &partition));
    cr_expect_eq(partition, 1000);
    cr_expect(text_equal(key, key_derive(&arena, seed, 7, 1000)));
    cr_expect_not(text_equal(key, key_derive(&arena, seed, 8, 1000)));
    cr_expect_not(text_equal(key, key_derive(&arena, other, 7, 1000)));
}

Test(key, a_seed_makes_the_same_free_one_again)
{
    const struct text *key = key_derive_free(&arena, text("a seed"));
    cr_expect(key_is_generated(key));
    cr_expect(text_equal(key, key_derive_free(&arena, text("a seed"))));
    cr_expect_not(text_equal(key, key_derive_free(&arena, text("another"))));
}

Test(key, a_free_one_looks_generated)
{
    cr_assert(key_is_generated(key_generate_free(&arena)));
    cr_assert_not(key_is_generated(text("scene")));
    cr_assert_not(key_is_generated(NULL));
}
