// dense_table_test.c - the dense hash table, against a plain array that remembers the same things.
#include "proto/base/dense_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/samples.h"

enum { KEYS = 1500, OPERATIONS = 40000 };

struct item {
    unsigned key;
};

static struct item items[KEYS][2]; // two of each key, so that one can take the place of the other
static struct item *present[KEYS];
static struct dense_table table;

// Few different hashes, so that whole runs of slots collide and wrap around the end.
typedef uint64_t hash_function(unsigned key);

static uint64_t
spread(unsigned key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ (hash >> 32);
}

static uint64_t
of_one_part(unsigned key)
{
    return spread(key) << 10;
}

static uint64_t
crowded(unsigned key)
{
    return UINT64_MAX - ((uint64_t)(key % 7) << 48);
}

static uint64_t
equal(unsigned key)
{
    (void)key;
    return 15;
}

static void
finish(void)
{
    dense_table_finish(&table);
}

TestSuite(dense_table, .fini = finish);

static bool
item_has_key(const void *value, const void *key)
{
    return ((const struct item *)value)->key == *(const unsigned *)key;
}

static void
check_all(hash_function *hash)
{
    size_t count = 0, walked = 0, cursor = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        cr_assert_eq(present[key], dense_table_find(&table, hash(key), item_has_key, &key));
        count += present[key] != NULL;
    }
    cr_assert_eq(count, table.count);
    for (struct item *item; (item = dense_table_next(&table, &cursor)) != NULL; walked++)
        cr_assert_eq(present[item->key], item);
    cr_assert_eq(count, walked);
}

static void
change(struct random *random, hash_function *hash)
{
    unsigned key = (unsigned)random_below(random, KEYS);
    struct item *item = &items[key][random_below(random, 2)];
    item->key = key;
    if (!present[key]) {
        dense_table_add(&table, hash(key), item);
        present[key] = item;
    } else if (random_below(random, 2)) {
        dense_table_replace(&table, hash(key), present[key], item);
        present[key] = item;
    } else {
        dense_table_remove(&table, hash(key), present[key]);
        present[key] = NULL;
    }
}

static void
check(hash_function *hash)
{
    struct random random = {7};
    for (unsigned i = 0; i < OPERATIONS; i++) {
        change(&random, hash);
        if (i % 1000 == 0)
            check_all(hash);
    }
    check_all(hash);
}

Test(dense_table, has_what_was_put_into_it)
{
    check(spread);
}

Test(dense_table, has_what_was_put_into_one_part_of_it)
{
    check(of_one_part);
}

Test(dense_table, tells_values_apart_that_collide)
{
    check(crowded);
}

Test(dense_table, tells_values_with_the_same_hash_apart)
{
    check(equal);
}

Test(dense_table, that_is_empty_finds_and_removes_nothing)
{
    unsigned key = 1;
    size_t cursor = 0;
    cr_assert_null(dense_table_find(&table, 1, item_has_key, &key));
    dense_table_remove(&table, 1, &items[0][0]);
    cr_assert_null(dense_table_next(&table, &cursor));
    cr_assert_eq(dense_table_size(&table), 0);
}

Test(dense_table, replaces_no_value_that_is_not_in_it)
{
    unsigned key = 0;
    dense_table_replace(&table, 9, &items[0][0], &items[0][1]);
    dense_table_add(&table, 9, &items[0][0]);
    dense_table_replace(&table, 9, &items[0][1], &items[1][0]);
    cr_assert_eq(dense_table_find(&table, 9, item_has_key, &key), &items[0][0]);
}

Test(dense_table, removes_no_value_that_is_not_in_it)
{
    items[0][0].key = items[0][1].key = 0;
    dense_table_add(&table, 9, &items[0][0]);
    dense_table_remove(&table, 9, &items[0][1]);
    cr_assert_eq(table.count, 1);
}

// 8/7 of a word at best, a quarter more just after a part grew.
Test(dense_table, takes_at_most_12_bytes_a_value)
{
    enum { MANY = 1000000 };
    char *values = malloc(MANY);
    for (unsigned i = 0; i < MANY; i++) {
        dense_table_add(&table, spread(i), &values[i]);
        if (i > 100000 && i % 10000 == 0)
            cr_assert_lt(dense_table_size(&table), i * 12, "%zu of %u", dense_table_size(&table),
                         i);
    }
    free(values);
}
