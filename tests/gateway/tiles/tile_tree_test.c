// tile_tree_test.c - the octree: every tile is in one part, whatever their places.
#include "gateway/tiles/tile_tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;
static struct tile_items items;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(tile_tree, .fini = end);

static void
begin_with(uint32_t count)
{
    items = (struct tile_items){.items = arena_alloc(&arena, count * sizeof *items.items)};
}

static void
add(const char *key, double x, double y, double z)
{
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    items.items[items.count++] =
        (struct tile_item){.object = object_of(object), .centre = {x, y, z}, .radius = 1};
}

static void
add_many(uint32_t count, double reach)
{
    char key[16];
    begin_with(count);
    srand(7);
    for (uint32_t i = 0; i < count; i++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = reach * (2.0 * rand() / RAND_MAX - 1);
        snprintf(key, sizeof key, "o%u", i);
        add(key, at[0], at[1], at[2]);
    }
    tile_tree_build(&items);
}

static struct tile_range
find(const char *name)
{
    return tile_tree_find(&items, text_from(&arena, name));
}

// Walks down, as a client does by names; returns how many tiles there are, and at most in one part.
static uint32_t
count_below(struct tile_range range, uint32_t *most)
{
    struct tile_range parts[8];
    uint32_t sum = 0;
    unsigned count = tile_tree_split(&items, range, parts);
    if (count == 0) {
        *most = range.count > *most ? range.count : *most;
        return range.count;
    }
    for (unsigned i = 0; i < count; i++) {
        char name[TILE_LEVELS + 1];
        tile_tree_name(&items, parts[i], name);
        cr_assert(tile_tree_is_name(text_from(&arena, name)));
        struct tile_range found = find(name);
        cr_assert_eq(found.first, parts[i].first);
        cr_assert_eq(found.count, parts[i].count);
        sum += count_below(found, most);
    }
    return sum;
}

Test(tile_tree, of_few_is_one_part)
{
    uint32_t most = 0;
    add_many(TILE_WHOLE, 100);
    cr_assert_eq(count_below(find(""), &most), TILE_WHOLE);
    cr_assert_eq(most, TILE_WHOLE);
}

Test(tile_tree, has_every_tile_once_and_no_large_part)
{
    uint32_t most = 0;
    add_many(20000, 500);
    cr_assert_eq(count_below(find(""), &most), 20000);
    cr_assert_leq(most, TILE_LEAF);
}

Test(tile_tree, tells_things_apart_that_stand_in_one_place)
{
    uint32_t most = 0;
    add_many(20000, 0);
    cr_assert_eq(count_below(find(""), &most), 20000);
    cr_assert_leq(most, TILE_LEAF);
}

Test(tile_tree, cuts_along_each_axis)
{
    begin_with(TILE_WHOLE + 1);
    for (int i = 0; i < TILE_WHOLE; i++)
        add("a", -3, -3, -3);
    add("b", 3, -3, 3);
    tile_tree_build(&items);
    cr_expect_eq(find("0").count, TILE_WHOLE);
    cr_expect_eq(find("5").count, 1);
    cr_expect_eq(find("1").count, 0);
    cr_expect_eq(find("").count, TILE_WHOLE + 1);
}

Test(tile_tree, leaves_things_in_their_cell_when_another_comes)
{
    add_many(1000, 60);
    uint32_t before = find("3").count;
    struct tile_items more = items;
    begin_with(1001);
    memcpy(items.items, more.items, more.count * sizeof *more.items);
    items.count = more.count;
    add("new", 1, -1, 1);
    tile_tree_build(&items);
    cr_expect_eq(find("3").count, before);
}

Test(tile_tree, of_nothing_has_no_parts)
{
    begin_with(1);
    tile_tree_build(&items);
    cr_expect_eq(find("").count, 0);
    cr_expect_eq(find("0123").count, 0);
}

Test(tile_tree, has_names_of_few_digits_alone)
{
    static const char *const names[] = {"8", "a", "-1", " 1", "1.5", "0123456701234567012345"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect_not(tile_tree_is_name(text_from(&arena, names[i])), "%s", names[i]);
    cr_expect_not(tile_tree_is_name(text_new(&arena, "1\0", 2)));
    cr_expect(tile_tree_is_name(text_from(&arena, "012345670123456701234")));
    cr_expect(tile_tree_is_name(NULL));
}
