// assets_by_time_test.c - assets in the order of their creation, however they come and go.
#include "actors/asset/assets_by_time.h"

#include <criterion/criterion.h>

#include "proto/records/asset.h"

enum { COUNT = 200 };

static struct arena arena;
static struct assets_by_time timeline;
static const frozen_t *made[COUNT];
static size_t made_count;

static void
end(void)
{
    assets_by_time_finish(&timeline);
    while (made_count > 0)
        record_unref(&made[--made_count]);
    arena_finish(&arena);
}

TestSuite(assets_by_time, .fini = end);

static const frozen_t *
asset(const char *key, int64_t created_us)
{
    struct record *loose = record_new(&arena, &asset_schema);
    record_set_text(loose, ASSET_KEY, text_from(&arena, key));
    record_set_integer(loose, ASSET_CREATED_US, created_us);
    return made[made_count++] = record_freeze(&asset_schema, loose);
}

// Expects the keys in this order, a character each.
static void
expect(const char *keys)
{
    cr_assert_eq(timeline.count, strlen(keys));
    for (size_t i = 0; i < timeline.count; i++)
        cr_expect_eq(text_chars(frozen_key(timeline.items[i]))[0], keys[i], "%zu", i);
}

Test(assets_by_time, they_are_in_the_order_of_creation_then_of_keys)
{
    assets_by_time_replace(&timeline, NULL, asset("c", 5));
    assets_by_time_replace(&timeline, NULL, asset("a", 7));
    assets_by_time_replace(&timeline, NULL, asset("d", 1));
    assets_by_time_replace(&timeline, NULL, asset("b", 5));
    expect("dbca");
}

Test(assets_by_time, what_is_replaced_keeps_its_place)
{
    const frozen_t *first = asset("a", 1), *next = asset("a", 1);
    assets_by_time_replace(&timeline, NULL, first);
    assets_by_time_replace(&timeline, NULL, asset("b", 2));
    assets_by_time_replace(&timeline, first, next);
    expect("ab");
    cr_expect_eq(timeline.items[0], next);
}

Test(assets_by_time, what_goes_leaves_the_others)
{
    const frozen_t *middle = asset("b", 2);
    assets_by_time_replace(&timeline, NULL, asset("a", 1));
    assets_by_time_replace(&timeline, NULL, middle);
    assets_by_time_replace(&timeline, NULL, asset("c", 3));
    assets_by_time_replace(&timeline, middle, NULL);
    expect("ac");
    assets_by_time_replace(&timeline, middle, NULL);
    expect("ac");
}

Test(assets_by_time, many_in_any_order_come_out_sorted)
{
    const frozen_t *all[COUNT];
    for (int i = 0; i < COUNT; i++) {
        all[i] = asset("x", i * 77 % COUNT); // 77 and 200 have no common divisor
        assets_by_time_replace(&timeline, NULL, all[i]);
    }
    for (int64_t i = 0; i < COUNT; i++)
        cr_assert_eq(asset_of(frozen_record(timeline.items[i]))->created_us, i);
    for (int i = 0; i < COUNT; i++)
        assets_by_time_replace(&timeline, all[i], NULL);
    cr_assert_eq(timeline.count, 0);
}

Test(assets_by_time, a_slice_goes_on_behind_where_the_last_one_ended)
{
    const frozen_t *middle = asset("b", 2);
    assets_by_time_replace(&timeline, NULL, asset("a", 1));
    assets_by_time_replace(&timeline, NULL, middle);
    assets_by_time_replace(&timeline, NULL, asset("c", 3));
    cr_assert_eq(assets_by_time_place_after(&timeline, middle), 2);
    assets_by_time_replace(&timeline, middle, NULL);
    cr_assert_eq(assets_by_time_place_after(&timeline, middle), 1, "it is gone");
    cr_assert_eq(assets_by_time_place_after(&timeline, asset("z", 9)), 2);
}
