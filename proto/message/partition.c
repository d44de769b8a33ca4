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
    return (uint16_t)(XXH64(text_chars(scene_key), text_size(scene_key), 0) % PARTITION_COUNT);
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

static void
put_random_digits(char *digits)
{
    unsigned char bytes[GENERATED_KEY_SIZE / 2];
    randombytes_buf(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        digits[2 * i] = hex_digits[bytes[i] >> 4];
        digits[2 * i + 1] = hex_digits[bytes[i] & 15];
    }
}

const struct text *
key_generate(struct arena *arena, uint16_t partition)
{
    char digits[GENERATED_KEY_SIZE];
    put_random_digits(digits);
    for (size_t i = PARTITION_DIGITS; i-- > 0; partition /= 16)
        digits[i] = hex_digits[partition % 16];
    return text_new(arena, digits, sizeof(digits));
}

const struct text *
key_generate_free(struct arena *arena)
{
    char digits[GENERATED_KEY_SIZE];
    put_random_digits(digits);
    return text_new(arena, digits, sizeof(digits));
}
