// found_scenes_test.c - the first of what was found, each scene once, in the same order in one
// piece and in slices.
#include "actors/scene/found_scenes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "proto/records/scene.h"
#include "tests/support/samples.h"

enum { SCENES = 5000 };

static struct arena arena;
static const packed_t *records[SCENES];
static actor_t actor;
static struct random dice = {3};

static void
begin(void)
{
    for (int i = 0; i < SCENES; i++) {
        struct record *scene = record_new(&arena, &scene_schema);
        record_set_text(scene, SCENE_KEY, text_format(&arena, "%05d", i));
        records[i] = record_pack(&scene_schema, scene);
    }
}

static void
end(void)
{
    for (int i = 0; i < SCENES; i++)
        packed_unref(&records[i]);
    arena_finish(&arena);
}

TestSuite(found_scenes, .init = begin, .fini = end);

static int
compare(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    if (one->distance_km != other->distance_km)
        return one->distance_km < other->distance_km ? -1 : 1;
    return text_compare(packed_key(one->record), packed_key(other->record));
}

// Settles to the end; returns in how many slices.
static unsigned
settle(struct found_scenes *found)
{
    unsigned slices = 1;
    while (!found_scenes_settle(found, &actor))
        slices++;
    return slices;
}

// Adds `count` scenes at a few distances each, settles where it is full and at the end, and
// compares with all of them sorted.
static unsigned
check(size_t wanted, size_t count, unsigned distances)
{
    struct found_scenes found = {.wanted = wanted, .limit_km = INFINITY};
    struct found *all = calloc(count, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        size_t at = i * 2777 % SCENES; // each once, in no order
        all[i] = (struct found){(double)random_below(&dice, distances), records[at]};
        if (found_scenes_is_full(&found))
            settle(&found);
        found_scenes_add(&found, all[i].record, all[i].distance_km);
    }
    unsigned slices = settle(&found);
    qsort(all, count, sizeof *all, compare);
    cr_assert_eq(found.count, wanted < count ? wanted : count);
    for (size_t i = 0; i < found.count; i++)
        cr_assert_eq(found.items[i].record, all[i].record, "%zu of %zu", i, count);
    if (wanted <= count)
        cr_assert_eq(found.limit_km, all[wanted - 1].distance_km);
    found_scenes_finish(&found);
    free(all);
    return slices;
}

static const size_t counts[] = {0, 1, 2, 8, 9, 100, 511, 512, 513, 1024, 1025, 3000, SCENES};

Test(found_scenes, are_the_nearest_in_order)
{
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t wanted = 1; wanted <= SCENES; wanted = wanted * 5 + 1)
            for (unsigned distances = 1; distances < 1000000; distances *= 99)
                check(wanted, counts[i], distances);
}

Test(found_scenes, are_the_same_in_slices)
{
    actor.turn.slice_us = 1; // each slice is over at once
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t wanted = 1; wanted <= SCENES; wanted = wanted * 5 + 1)
            check(wanted, counts[i], 1000);
    cr_assert_gt(check(SCENES, SCENES, 1000), 10);
}

// In several records, as a query that pauses may meet them.
Test(found_scenes, have_each_scene_once_at_its_nearest)
{
    actor.turn.slice_us = 1;
    struct found_scenes found = {.wanted = 600, .limit_km = INFINITY, .has_doubles = true};
    for (int i = 0; i < 3 * SCENES; i++) {
        int number = i % SCENES;
        const packed_t *copy = records[number];
        if (found_scenes_is_full(&found))
            settle(&found);
        found_scenes_add(&found, copy, number + 10000 - 5000 * (i / SCENES));
    }
    settle(&found);
    cr_assert_eq(found.count, 600);
    for (int i = 0; i < 600; i++) {
        cr_assert_eq(found.items[i].record, records[i]);
        cr_assert_eq(found.items[i].distance_km, i);
    }
    found_scenes_finish(&found);
}

// As they are where filters with and without a point stand side by side.
Test(found_scenes, without_a_distance_come_last_by_their_keys)
{
    struct found_scenes found = {.wanted = 1500, .limit_km = INFINITY};
    for (size_t i = 0; i < 2000; i++) {
        size_t at = i * 777 % 2000;
        found_scenes_add(&found, records[at], at % 2 ? (double)at : INFINITY);
    }
    settle(&found);
    cr_assert_eq(1500, found.count);
    for (size_t i = 0; i < 1500; i++)
        cr_assert_eq(records[i < 1000 ? 2 * i + 1 : 2 * (i - 1000)], found.items[i].record);
    found_scenes_finish(&found);
}

// All in one bucket but for the furthest.
Test(found_scenes, are_in_order_where_one_is_far_away)
{
    struct found_scenes found = {.wanted = 1000, .limit_km = INFINITY};
    found_scenes_add(&found, records[1000], 1e300);
    for (size_t i = 0; i < 1000; i++)
        found_scenes_add(&found, records[i * 777 % 1000], (double)(i * 777 % 1000));
    settle(&found);
    for (size_t i = 0; i < 1000; i++)
        cr_assert_eq(records[i], found.items[i].record);
    found_scenes_finish(&found);
}
