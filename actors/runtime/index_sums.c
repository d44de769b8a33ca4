// index_sums.c - sums of keyed hashes: equal ones of different sets cannot be had by chance, nor by
// who chooses what is stored (index_sums.h).
#include "actors/runtime/index_sums.h"

#include <assert.h>
#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "actors/runtime/actor_family.h"

static unsigned char secret[crypto_shorthash_siphashx24_KEYBYTES];

static void
choose_secret(void)
{
    randombytes_buf(secret, sizeof secret);
}

void
index_sums_clear(struct index_sums *self)
{
    memset(self, 0, sizeof *self);
}

static unsigned
row_of(const struct key *key)
{
    assert(key->size > 1 && key->data[0] == KEY_INDEX);
    return key->data[1];
}

void
index_sums_add(struct index_sums *self, const struct key *key)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct index_sum *row = &self->rows[row_of(key)];
    uint64_t hash[crypto_shorthash_siphashx24_BYTES / sizeof(uint64_t)];
    pthread_once(&once, choose_secret);
    crypto_shorthash_siphashx24((unsigned char *)hash, key->data, key->size, secret);
    row->count++;
    row->low += hash[0];
    row->high += hash[1];
}

static bool
is_same(const struct index_sum *one, const struct index_sum *other)
{
    return one->count == other->count && one->low == other->low && one->high == other->high;
}

bool
index_sums_are_empty(const struct index_sums *self, const struct key *key)
{
    return self->rows[row_of(key)].count == 0;
}

bool
index_sums_agree(const struct index_sums *one, const struct index_sums *other,
                 const struct key *key)
{
    return is_same(&one->rows[row_of(key)], &other->rows[row_of(key)]);
}

bool
index_sums_equal(const struct index_sums *one, const struct index_sums *other)
{
    for (unsigned row = 0; row < INDEX_SUM_ROWS; row++)
        if (!is_same(&one->rows[row], &other->rows[row]))
            return false;
    return true;
}
