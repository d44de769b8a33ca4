// table_test.c - the hash table, against a plain array that remembers the same things.
#include "proto/base/table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "proto/base/owned.h"
#include "tests/support/samples.h"

enum { KEYS = 1500, OPERATIONS = 40000 };

struct item {
    unsigned key;
};

// Which item each key has; NULL = none. The table under test says the same.
struct model {
    struct item items[KEYS][2]; // two of each key, so that one can take the place of the other
    struct item *present[KEYS];
    size_t count;
};

// Few different hashes, so that whole runs of slots collide and wrap around the end.
typedef uint64_t hash_function(unsigned key);

static uint64_t
spread(
    unsigned key) // the same in each process, unlike the hashes of keys: so are the runs of values
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ (hash >> 32);
}

static uint64_t
crowded(unsigned key)
{
    return UINT64_MAX - key % 7;
}

static uint64_t
equal(unsigned key)
{
    (void)key;
    return 15;
}

static bool
item_has_key(const void *value, const void *key)
{
    return ((const struct item *)value)->key == *(const unsigned *)key;
}

static void
model_init(struct model *self)
{
    memset(self, 0, sizeof *self);
    for (unsigned key = 0; key < KEYS; key++)
        self->items[key][0].key = self->items[key][1].key = key;
}

static void
change(struct random *random, struct model *model, struct table *table, hash_function *hash)
{
    unsigned key = (unsigned)random_below(random, KEYS);
    struct item **present = &model->present[key];
    if (!*present) {
        *present = &model->items[key][0];
        model->count++;
        table_add(table, hash(key), *present);
    } else if (random_below(random, 3) == 0) {
        struct item *other = &model->items[key][*present == &model->items[key][0]];
        table_replace(table, hash(key), *present, other);
        *present = other;
    } else {
        table_remove(table, hash(key), *present);
        *present = NULL;
        model->count--;
    }
}

static void
check_same(const struct model *model, const struct table *table, hash_function *hash)
{
    cr_assert_eq(table->count, model->count);
    for (unsigned key = 0; key < KEYS; key++)
        cr_assert_eq(table_find(table, hash(key), item_has_key, &key), model->present[key],
                     "key %u", key);
    size_t cursor = 0, walked = 0;
    const struct item *item;
    while ((item = table_next(table, &cursor)) != NULL) {
        cr_assert_eq(item, model->present[item->key]);
        walked++;
    }
    cr_assert_eq(walked, model->count);
}

static void
check_like_model(hash_function *hash, uint64_t seed)
{
    static struct model model;
    struct random random = {seed};
    owned(table_finish) struct table table = {0};
    model_init(&model);
    for (int i = 0; i < OPERATIONS; i++) {
        change(&random, &model, &table, hash);
        if (i % 97 == 0)
            check_same(&model, &table, hash);
    }
    check_same(&model, &table, hash);
}

Test(table, remembers_what_an_array_remembers)
{
    check_like_model(spread, 1);
}

Test(table, does_so_where_many_keys_collide)
{
    check_like_model(crowded, 2);
}

Test(table, does_so_where_all_hashes_are_equal)
{
    check_like_model(equal, 3);
}

Test(table, an_empty_one_finds_nothing_and_forgets_nothing)
{
    struct table table = {0};
    unsigned key = 1;
    struct item item = {1};
    size_t cursor = 0;
    cr_assert_null(table_find(&table, spread(1), item_has_key, &key));
    table_remove(&table, spread(1), &item);
    table_replace(&table, spread(1), &item, &item);
    cr_assert_null(table_next(&table, &cursor));
    cr_assert_eq(table.count, 0);
    table_finish(&table);
}

static bool
is_number(const void *value, const void *key)
{
    return value == key;
}

Test(table, an_emptied_one_keeps_its_memory_and_nothing_else)
{
    struct table table = {0};
    static char values[100];
    table_clear(&table);
    for (unsigned i = 0; i < 100; i++)
        table_add(&table, i, &values[i]);
    const struct table_slot *slots = table.slots.items;
    table_clear(&table);
    cr_assert_eq(table.count, 0);
    cr_assert_null(table_find(&table, 5, is_number, &values[5]));
    for (unsigned i = 0; i < 100; i++)
        table_add(&table, i, &values[i]);
    cr_assert_eq(table.slots.items, slots);
    cr_assert_eq(table_find(&table, 5, is_number, &values[5]), &values[5]);
    table_finish(&table);
}

Test(table, takes_out_the_value_that_was_meant_not_its_equal)
{
    owned(table_finish) struct table table = {0};
    struct item first = {1}, second = {1};
    unsigned key = 1;
    table_add(&table, equal(1), &first);
    table_remove(&table, equal(1), &second);
    cr_assert_eq(table_find(&table, equal(1), item_has_key, &key), &first);
}

Test(table, is_at_most_three_quarters_full)
{
    owned(table_finish) struct table table = {0};
    static struct item items[1000];
    for (unsigned i = 0; i < 1000; i++) {
        table_add(&table, spread(i), &items[i]);
        cr_assert_leq(table.count * 4, table.slots.capacity * 3);
    }
}

Test(table, a_large_one_is_at_least_three_fifths_full)
{
    enum { COUNT = 5000, LARGE = 100 };
    static struct item items[COUNT];
    owned(table_finish) struct table table = {0};
    for (unsigned i = 0; i < COUNT; i++) {
        table_add(&table, spread(i), &items[i]);
        cr_assert(i < LARGE || (table.count + 2) * 5 >= table.slots.capacity * 3, "%zu of %zu",
                  table.count, table.slots.capacity);
    }
}

Test(table, one_that_grows_has_its_old_slots_for_a_tenth_of_the_time)
{
    enum { COUNT = 20000 };
    static char values[COUNT];
    owned(table_finish) struct table table = {0};
    unsigned moving = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        table_add(&table, spread(i), &values[i]);
        moving += table.move != NULL;
    }
    cr_assert_leq(moving, COUNT / 10, "%u", moving);
}

Test(table, hashes_texts_by_their_bytes)
{
    owned(arena_finish) struct arena arena = {0};
    const struct text *one = text_new(&arena, "a\0b", 3), *same = text_new(&arena, "a\0b", 3);
    const struct text *other = text_new(&arena, "a\0c", 3);
    cr_assert_eq(table_hash_text(one), table_hash_text(same));
    cr_assert_neq(table_hash_text(one), table_hash_text(other));
    cr_assert_eq(table_hash_text(NULL), table_hash_text(text_from(&arena, "")));
}

// A client who knows the hash chooses keys that fall into one run: each look for one of them passes
// all of them.
Test(table, nobody_outside_can_choose_keys_that_collide)
{
    enum { CHOSEN = 1000, SLOTS = 2048 };
    static bool is_taken[SLOTS];
    unsigned chosen = 0, taken = 0;
    for (unsigned i = 0; chosen < CHOSEN; i++) {
        char key[16];
        snprintf(key, sizeof key, "%u", i);
        if (XXH3_64bits(key, strlen(key)) % SLOTS != 0)
            continue;
        chosen++;
        taken += !is_taken[table_hash_chars(key) % SLOTS];
        is_taken[table_hash_chars(key) % SLOTS] = true;
    }
    cr_assert_geq(taken, 700, "790 by chance, 1 where the hash is known"); // 10 sigmas
}

// Values in the slots that stay; the others wait to be moved there.
static size_t
values_in_place(const struct table *table)
{
    size_t values = 0;
    for (size_t i = 0; i < table->slots.capacity; i++)
        values += table->slots.items[i].value != NULL;
    return values;
}

Test(table, a_large_one_grows_a_few_values_at_a_time)
{
    enum { COUNT = 3500, LARGE = 1024, FEW = 200 };
    static char values[COUNT];
    owned(table_finish) struct table table = {0};
    size_t in_place = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        const struct table_slot *before = table.slots.items;
        table_add(&table, spread(i), &values[i]);
        if (table.slots.items != before)
            in_place = 0;
        size_t moved = values_in_place(&table) - in_place;
        cr_assert(table.slots.capacity < LARGE || moved < FEW, "%zu at %u", moved, i);
        in_place += moved;
    }
    for (unsigned i = 0; i < COUNT; i++)
        cr_assert_eq(table_find(&table, spread(i), is_number, &values[i]), &values[i]);
}

// Checks after each addition; some values are removed, some replaced on the way.
static void
check_growth(hash_function *hash)
{
    static struct model model;
    owned(table_finish) struct table table = {0};
    model_init(&model);
    for (unsigned key = 0; key < KEYS; key++) {
        model.present[key] = &model.items[key][0];
        model.count++;
        table_add(&table, hash(key), model.present[key]);
        if (key % 5 == 4) {
            table_remove(&table, hash(key / 2), model.present[key / 2]);
            model.count -= model.present[key / 2] != NULL;
            model.present[key / 2] = NULL;
        }
        if (key % 7 == 6) {
            table_replace(&table, hash(key - 3), model.present[key - 3], &model.items[key - 3][1]);
            if (model.present[key - 3])
                model.present[key - 3] = &model.items[key - 3][1];
        }
        check_same(&model, &table, hash);
    }
}

Test(table, remembers_all_while_it_grows)
{
    check_growth(spread);
    check_growth(crowded);
}
