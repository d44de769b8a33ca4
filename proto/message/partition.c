// partition.c - owners of keys, and fresh keys.
#include "proto/message/partition.h"

#include <sodium.h>
#include <string.h>
#include <xxhash.h>

enum { PARTITION_DIGITS = 3 };

static const char hex_digits[] = "0123456789abcdef";

uint16_t
partition_of_scene(const struct text *scene_key)
{
    return (uint16_t)(XXH64(text_bytes(scene_key), text_size(scene_key), 0) % PARTITION_COUNT);
}

// The value of a lower-case hex digit, or -1.
static int
digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool
key_is_generated(const struct text *key)
{
    if (text_size(key) != GENERATED_KEY_SIZE)
        return false;
    for (size_t i = 0; i < GENERATED_KEY_SIZE; i++)
        if (digit_value(key->data[i]) < 0)
            return false;
    return true;
}

bool
partition_of_key(const struct text *key, uint16_t *ret_partition)
{
    if (!key_is_generated(key))
        return false;
    int partition = 0;
    for (size_t i = 0; i < PARTITION_DIGITS; i++)
        partition = partition * 16 + digit_value(key->data[i]);
    if (partition >= PARTITION_COUNT)
        return false;
    *ret_partition = (uint16_t)partition;
    return true;
}

enum { KEY_BYTES = GENERATED_KEY_SIZE / 2 };

static void
put_digits(const unsigned char bytes[KEY_BYTES], char *digits)
{
    for (size_t i = 0; i < KEY_BYTES; i++) {
        digits[2 * i] = hex_digits[bytes[i] >> 4];
        digits[2 * i + 1] = hex_digits[bytes[i] & 15];
    }
}

// The key of these bytes, with the digits of its partition in front.
static const struct text *
key_in(struct arena *arena, const unsigned char bytes[KEY_BYTES], uint16_t partition)
{
    char digits[GENERATED_KEY_SIZE];
    put_digits(bytes, digits);
    for (size_t i = PARTITION_DIGITS; i-- > 0; partition /= 16)
        digits[i] = hex_digits[partition % 16];
    return text_new(arena, digits, sizeof(digits));
}

const struct text *
key_generate(struct arena *arena, uint16_t partition)
{
    unsigned char bytes[KEY_BYTES];
    randombytes_buf(bytes, sizeof(bytes));
    return key_in(arena, bytes, partition);
}

const struct text *
key_generate_free(struct arena *arena)
{
    unsigned char bytes[KEY_BYTES];
    char digits[GENERATED_KEY_SIZE];
    randombytes_buf(bytes, sizeof(bytes));
    put_digits(bytes, digits);
    return text_new(arena, digits, sizeof(digits));
}

const struct text *
key_derive(struct arena *arena, const unsigned char seed[KEY_SEED_SIZE], uint32_t index,
           uint16_t partition)
{
    unsigned char hash[crypto_generichash_BYTES_MIN];
    crypto_generichash(hash, sizeof(hash), (const unsigned char *)&index, sizeof(index), seed,
                       KEY_SEED_SIZE);
    return key_in(arena, hash, partition);
}

const struct text *
key_derive_free(struct arena *arena, const struct text *seed)
{
    unsigned char hash[crypto_generichash_BYTES_MIN];
    char digits[GENERATED_KEY_SIZE];
    crypto_generichash(hash, sizeof(hash), (const unsigned char *)text_bytes(seed), text_size(seed),
                       NULL, 0);
    put_digits(hash, digits);
    return text_new(arena, digits, sizeof(digits));
}
