// sorted_records_test.c - arrays in the order of their keys: keys that begin alike, are short, or
// have bytes beyond ASCII stand as text_compare orders them.
#include "actors/runtime/sorted_records.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"

static struct arena arena;
static struct sorted_records sorted;

static void
end(void)
{
    sorted_finish(&sorted);
    arena_finish(&arena);
}

TestSuite(sorted_records, .fini = end);

static const struct text *
key_of(const char *chars)
{
    return text_from(&arena, chars);
}

// One reference, yours.
static const frozen_t *
make(const char *key)
{
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, key_of(key));
    return record_freeze(&object_schema, object);
}

static void
insert(const char *key)
{
    size_t index;
    cr_assert(!sorted_has(&sorted, key_of(key), &index), "%s", key);
    sorted_insert(&sorted, index, make(key));
}

static void
check(size_t count, const char *const *keys)
{
    cr_assert_eq(sorted.count, count);
    for (size_t i = 0; i < count; i++) {
        size_t index;
        cr_assert_str_eq(text_chars(frozen_key(sorted.items[i])), keys[i]);
        cr_assert(sorted_has(&sorted, key_of(keys[i]), &index));
        cr_assert_eq(index, i);
    }
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        static const char *const wanted[] = {__VA_ARGS__};                                         \
        check(sizeof wanted / sizeof wanted[0], wanted);                                           \
    } while (0)

Test(sorted_records, stand_in_the_order_of_their_keys)
{
    static const char *const mixed[] = {"object-10", "b",        "object-1", "\xc3\xa4",
                                        "",          "object-2", "object-",  "a",
                                        "object",    "\x01",     "ab",       "object-1a"};
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++)
        insert(mixed[i]);
    CHECK("", "\x01", "a", "ab", "b", "object", "object-", "object-1", "object-10", "object-1a",
          "object-2", "\xc3\xa4");
}

Test(sorted_records, a_place_is_that_of_the_first_key_that_is_not_less)
{
    static const char *const keys[] = {"object-1", "object-3", "object-5"};
    for (size_t i = 0; i < 3; i++)
        insert(keys[i]);
    cr_assert_eq(sorted_place(&sorted, 3, key_of("object-0")), 0);
    cr_assert_eq(sorted_place(&sorted, 3, key_of("object-3")), 1);
    cr_assert_eq(sorted_place(&sorted, 3, key_of("object-4")), 2);
    cr_assert_eq(sorted_place(&sorted, 3, key_of("z")), 3);
    cr_assert_eq(sorted_place(&sorted, 2, key_of("z")), 2, "of the first two");
}

Test(sorted_records, what_is_taken_out_is_not_found)
{
    static const char *const keys[] = {"a", "b", "c"};
    size_t index;
    for (size_t i = 0; i < 3; i++)
        insert(keys[i]);
    owned(record_unref) const frozen_t *taken = sorted.items[1];
    sorted_close_gap(&sorted, 1);
    cr_assert_str_eq(text_chars(frozen_key(taken)), "b");
    cr_assert(!sorted_has(&sorted, key_of("b"), &index));
    CHECK("a", "c");
}

Test(sorted_records, growth_keeps_their_order)
{
    enum { MANY = 1000 };
    for (unsigned i = 0; i < MANY; i++)
        insert(text_chars(text_format(&arena, "%u", i * 7919 % MANY)));
    cr_assert_eq(sorted.count, MANY);
    for (size_t i = 1; i < MANY; i++)
        cr_assert_lt(text_compare(frozen_key(sorted.items[i - 1]), frozen_key(sorted.items[i])), 0);
    for (unsigned i = 0; i < MANY; i++) {
        size_t index;
        cr_assert(sorted_has(&sorted, text_format(&arena, "%u", i), &index), "%u", i);
    }
}

Test(sorted_records, a_large_one_has_an_eighth_of_free_places_at_most)
{
    char key[16];
    for (unsigned i = 0; i < 2000; i++) {
        snprintf(key, sizeof key, "%08u", i);
        sorted_insert(&sorted, sorted.count, make(key));
        cr_assert(i < 64 || sorted.capacity * 8 <= sorted.count * 9, "%zu of %zu", sorted.count,
                  sorted.capacity);
    }
}
