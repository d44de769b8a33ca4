// list_walk_test.c - walks that are interrupted go on where they were, whatever came and went.
#include "actors/runtime/list_walk.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/list_objects.h"

static const actor_t rested;
static struct list_set objects;

static void
put(const char *key, const char *name, const char *tags)
{
    owned(record_unref) const frozen_t *object = list_object(key, name, "", tags, 0);
    list_set_put(&objects, object);
}

static void
fill(void)
{
    put("000001", "d", "");
    put("000002", "c", "");
    put("000003", "b", "");
    put("000004", "a", "");
    list_set_make(&objects, LIST_NAME, &rested);
}

static void
empty(void)
{
    list_set_finish(&objects);
}

TestSuite(list_walk, .init = fill, .fini = empty);

// One record a slice; between them, `between` is called.
static void
expect_walk(enum list_order order, bool backward, void (*between)(void), const char *expected)
{
    const struct list_source source = {.set = &objects.set, .orders = &objects.orders};
    struct list_walk walk = {.order = order, .backward = backward};
    char found[16] = "";
    const frozen_t *record;
    list_walk_resume(&walk, &source);
    while ((record = list_walk_next(&walk)) != NULL) {
        strcat(found, text_chars(object_of(frozen_record(record))->name));
        list_walk_pause(&walk);
        if (between)
            between();
        between = NULL;
        list_walk_resume(&walk, &source);
    }
    list_walk_finish(&walk);
    cr_assert_str_eq(expected, found);
}

Test(list_walk, goes_by_key_and_by_value_in_both_directions)
{
    expect_walk(LIST_KEY, false, NULL, "dcba");
    expect_walk(LIST_KEY, true, NULL, "abcd");
    expect_walk(LIST_NAME, false, NULL, "abcd");
    expect_walk(LIST_NAME, true, NULL, "dcba");
}

static void
remove_first_and_last(void)
{
    list_set_remove(&objects, 1);
    list_set_remove(&objects, 4);
    put("000000", "e", "");
    put("000009", "0", "");
}

Test(list_walk, goes_on_behind_what_is_gone_by_key)
{
    expect_walk(LIST_KEY, false, remove_first_and_last, "dcb0");
}

Test(list_walk, goes_on_before_what_is_gone_by_key)
{
    expect_walk(LIST_KEY, true, remove_first_and_last, "abce");
}

Test(list_walk, goes_on_behind_what_is_gone_by_value)
{
    expect_walk(LIST_NAME, false, remove_first_and_last, "abce");
}

Test(list_walk, goes_on_before_what_is_gone_by_value)
{
    expect_walk(LIST_NAME, true, remove_first_and_last, "dcb0");
}

Test(list_walk, counts_the_words_that_begin_like_the_filter_and_tells_the_first_of_a_record)
{
    const struct list_filter filter = {.order = LIST_WORD, .low_size = 2, .low = "pu"};
    const struct list_source source = {.set = &objects.set, .orders = &objects.orders};
    put("000005", "pump", "pure");
    list_set_make(&objects, LIST_WORD, &rested);
    cr_assert_eq(2, list_walk_count(&source, LIST_WORD, &filter));
    struct list_walk walk = {.order = LIST_WORD, .filter = &filter};
    list_walk_resume(&walk, &source);
    cr_assert_not_null(list_walk_next(&walk));
    cr_assert(list_walk_is_first(&walk));
    cr_assert_not_null(list_walk_next(&walk));
    cr_assert_not(list_walk_is_first(&walk));
    cr_assert_null(list_walk_next(&walk));
}
