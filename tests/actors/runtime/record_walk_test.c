// record_walk_test.c - a walk in slices meets each record once, whatever happens in between.
#include "actors/runtime/record_walk.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"

static struct record_set set;
static struct record_walk walk;

static void
put(unsigned key)
{
    owned(arena_finish) struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_format(&arena, "%03u", key));
    owned(record_unref) const frozen_t *frozen = record_freeze(&object_schema, object);
    record_set_put(&set, frozen);
}

static void
drop(unsigned key)
{
    owned(arena_finish) struct arena arena = {0};
    record_set_remove(&set, text_format(&arena, "%03u", key));
}

static void
end(void)
{
    record_walk_restart(&walk);
    record_set_finish(&set);
}

TestSuite(record_walk, .fini = end);

// The next slice of at most 4 begins at `first` and has `count` records.
static void
expect_slice(const char *first, size_t count)
{
    const frozen_t *const *records;
    cr_assert_eq(record_walk_next(&walk, &set, 4, &records), count);
    if (count)
        cr_assert(text_is(frozen_key(records[0]), first));
}

Test(record_walk, passes_all_in_slices_and_begins_again)
{
    for (unsigned i = 0; i < 10; i++)
        put(i);
    for (unsigned round = 0; round < 2; round++) {
        cr_assert_not(record_walk_is_under_way(&walk));
        expect_slice("000", 4);
        cr_assert(record_walk_is_under_way(&walk));
        expect_slice("004", 4);
        expect_slice("008", 2);
        expect_slice(NULL, 0);
    }
}

Test(record_walk, goes_on_behind_what_it_passed_though_that_is_gone)
{
    for (unsigned i = 0; i < 10; i++)
        put(i);
    expect_slice("000", 4);
    drop(3);
    drop(4);
    expect_slice("005", 4);
    put(4);
    expect_slice("009", 1);
    expect_slice(NULL, 0);
}

Test(record_walk, of_an_empty_set_is_over_at_once)
{
    expect_slice(NULL, 0);
    cr_assert_not(record_walk_is_under_way(&walk));
}
