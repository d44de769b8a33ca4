// record_set_large_test.c - sets that are so large that what is removed from them leaves with
// others: they hold what an array holds, and thousands of removals cost little.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "actors/runtime/record_set.h"
#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/samples.h"

enum { KEYS = 20000 };

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(record_set_large, .fini = end);

static const struct text *
key_of(unsigned key)
{
    return text_format(&arena, "%06u", key);
}

// One reference, yours.
static const frozen_t *
make(unsigned key)
{
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, key_of(key));
    return record_freeze(&object_schema, object);
}

static void
put(struct record_set *set, const frozen_t **model, unsigned key)
{
    owned(record_unref) const frozen_t *record = make(key);
    record_set_put(set, record);
    model[key] = record;
}

static void
check(struct record_set *set, const frozen_t *const *model)
{
    size_t count, at = 0, bytes = 0;
    const frozen_t *const *items = record_set_items(set, &count);
    for (unsigned key = 0; key < KEYS; key++) {
        if (!model[key])
            continue;
        cr_assert(at < count && items[at++] == model[key], "key %u", key);
        bytes += record_size(model[key]);
    }
    cr_assert_eq(at, count);
    cr_assert_eq(set->bytes, bytes);
}

Test(record_set_large, hold_what_an_array_holds)
{
    static const frozen_t *model[KEYS];
    struct random random = {7};
    owned(record_set_finish) struct record_set set = {0};
    size_t most = 0;
    for (unsigned key = 0; key < KEYS; key++)
        put(&set, model, key);
    for (int i = 0; i < 60000; i++) {
        unsigned key = (unsigned)random_below(&random, KEYS);
        if (random_below(&random, 3)) {
            record_set_remove(&set, key_of(key));
            record_set_remove(&set, key_of(key)); // it is gone
            model[key] = NULL;
        } else {
            put(&set, model, key);
        }
        key = (unsigned)random_below(&random, KEYS);
        cr_assert_eq(record_set_find(&set, key_of(key)), model[key]);
        most = set.removed.count > most ? set.removed.count : most;
        if (random_below(&random, 3000) == 0)
            check(&set, model);
    }
    cr_assert_gt(most, 64, "nothing left with others");
    check(&set, model);
    for (unsigned key = KEYS; key-- > 0;) { // with some that are removed
        if (key % 7 == 0)
            record_set_remove(&set, key_of(key / 2));
        owned(record_unref) const frozen_t *last = key % 1000 ? NULL : record_set_take_last(&set);
        if (last)
            cr_assert_null(record_set_find(&set, frozen_key(last)));
    }
}

Test(record_set_large, keep_little_of_what_was_removed)
{
    owned(record_set_finish) struct record_set set = {0};
    for (unsigned key = 0; key < KEYS; key++) {
        struct record *object = record_new(&arena, &object_schema);
        record_set_text(object, OBJECT_KEY, key_of(key));
        record_set_text(object, OBJECT_NAME, text_format(&arena, "%04096u", key));
        owned(record_unref) const frozen_t *record = record_freeze(&object_schema, object);
        record_set_put(&set, record);
    }
    for (unsigned key = 0; key < 2000; key++) {
        record_set_remove(&set, key_of(key));
        cr_assert_leq(set.removed_bytes, 1 << 20);
        cr_assert_leq(set.removed.count, 256);
    }
    cr_assert_eq(record_set_count(&set), KEYS - 2000);
}

static uint64_t
removals_once_us(unsigned keys)
{
    enum { REMOVED = 2000 };
    static const struct text *removed[REMOVED];
    owned(record_set_finish) struct record_set set = {0};
    for (unsigned key = 0; key < keys; key++) {
        owned(record_unref) const frozen_t *record = make(key);
        record_set_put(&set, record);
    }
    for (unsigned i = 0; i < REMOVED; i++)
        removed[i] = key_of(i);
    uint64_t began_us = clock_thread_us();
    for (unsigned i = 0; i < REMOVED; i++)
        record_set_remove(&set, removed[i]);
    uint64_t took_us = clock_thread_us() - began_us;
    cr_assert_eq(record_set_count(&set), keys - REMOVED);
    return took_us;
}

// What a busy machine adds is not in each of some times.
Test(record_set_large, lose_thousands_for_little)
{
    uint64_t few_us = removals_once_us(10000), many_us = UINT64_MAX;
    for (int i = 0; i < 10 && many_us > 8 * few_us + 2000; i++) {
        uint64_t took_us = removals_once_us(400000);
        many_us = took_us < many_us ? took_us : many_us;
    }
    cr_assert_leq(many_us, 8 * few_us + 2000, "%lu us, of 10,000 records %lu us",
                  (unsigned long)many_us, (unsigned long)few_us);
}
