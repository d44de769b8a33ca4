// keyframes_test.c - ordered lists of keyframes: found, sorted, combined.

#include "actors/scene/entity/keyframes.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(keyframes, .fini = end);

// A keyframe whose description tells which list it came from.
static struct record *
keyframe(int64_t frame, double mark)
{
    struct property_keyframe *self =
        (struct property_keyframe *)(void *)record_new(&arena, &property_keyframe_schema);
    struct record *value = record_new(&arena, &property_keyframe_schema);
    struct records *values = records_new(&arena, 1);
    ((struct keyframe *)(void *)value)->frame = (int64_t)mark;
    values->items[values->count++] = value;
    self->frame = frame;
    self->values = values;
    return &self->base;
}

static int64_t
mark_of(const struct record *record)
{
    const struct property_keyframe *self = (const struct property_keyframe *)(const void *)record;
    return keyframe_of(self->values->items[0])->frame;
}

static struct records *
list_of(size_t count, const int64_t *frames, double mark)
{
    struct records *list = records_new(&arena, count);
    for (size_t i = 0; i < count; i++)
        list->items[list->count++] = keyframe(frames[i], mark);
    return list;
}

#define LIST(mark, ...)                                                                            \
    list_of(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}, mark)

static void
has_frames(const struct records *list, size_t count, const int64_t *frames)
{
    cr_assert_eq(list_count(list), count);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(keyframe_of(list->items[i])->frame, frames[i], "place %zu", i);
}

#define HAS_FRAMES(list, ...)                                                                      \
    has_frames(list, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

Test(keyframes, a_frame_is_found_or_the_place_where_it_would_stand)
{
    const struct records *list = LIST(0, -5, 0, 7, INT64_MAX);
    static const struct {
        int64_t frame;
        bool is_there;
        size_t index;
    } rows[] = {{INT64_MIN, false, 0}, {-5, true, 0}, {-4, false, 1}, {0, true, 1},
                {6, false, 2},         {7, true, 2},  {8, false, 3},  {INT64_MAX, true, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t index;
        cr_assert_eq(keyframes_find(list, rows[i].frame, &index), rows[i].is_there, "row %zu", i);
        cr_assert_eq(index, rows[i].index, "row %zu", i);
    }
}

Test(keyframes, nothing_is_found_in_no_list)
{
    size_t index = 7;
    cr_assert_not(keyframes_find(NULL, 0, &index));
    cr_assert_eq(index, 0);
}

Test(keyframes, sorting_leaves_the_last_of_each_frame)
{
    struct records *list = LIST(1, 3, -1, 3, 2, -1, 3);
    list->items[5] = keyframe(3, 9);
    list->items[4] = keyframe(-1, 8);
    keyframes_sort(&arena, list);
    HAS_FRAMES(list, -1, 2, 3);
    cr_assert_eq(mark_of(list->items[0]), 8);
    cr_assert_eq(mark_of(list->items[2]), 9);
}

Test(keyframes, an_empty_list_is_sorted)
{
    struct records *list = records_new(&arena, 0);
    keyframes_sort(&arena, list);
    cr_assert_eq(list->count, 0);
}

Test(keyframes, appending_replaces_equal_frames_and_keeps_the_order)
{
    const struct records *all =
        keyframes_combine(&arena, LIST(1, 1, 3, 5), LIST(2, 0, 3, 6), LIST_APPEND);
    HAS_FRAMES(all, 0, 1, 3, 5, 6);
    cr_assert_eq(mark_of(all->items[2]), 2);
    cr_assert_eq(mark_of(all->items[3]), 1);
    HAS_FRAMES(keyframes_combine(&arena, NULL, LIST(2, 1), LIST_APPEND), 1);
}

Test(keyframes, removing_takes_out_what_is_named)
{
    HAS_FRAMES(keyframes_combine(&arena, LIST(1, 1, 3, 5), LIST(2, 0, 3, 6), LIST_REMOVE), 1, 5);
    cr_assert_eq(list_count(keyframes_combine(&arena, LIST(1, 1), LIST(2, 1), LIST_REMOVE)), 0);
}

Test(keyframes, a_copy_has_one_item_more_or_another_or_one_less)
{
    const struct records *list = LIST(1, 1, 3);
    HAS_FRAMES(list_with(&arena, list, 1, false, keyframe(2, 2)), 1, 2, 3);
    HAS_FRAMES(list_with(&arena, list, 1, true, keyframe(9, 2)), 1, 9);
    HAS_FRAMES(list_with(&arena, list, 2, false, keyframe(9, 2)), 1, 3, 9);
    HAS_FRAMES(list_with(&arena, NULL, 0, false, keyframe(9, 2)), 9);
    HAS_FRAMES(list_without(&arena, list, 0), 3);
    HAS_FRAMES(list, 1, 3);
}

// Comparing each pair would take 10^8 steps for each of these, sorting takes 10^5.
Test(keyframes, the_most_that_there_may_be_are_sorted_and_combined_at_once)
{
    int64_t *down = arena_alloc(&arena, LIMIT_KEYFRAMES * sizeof *down);
    for (int64_t i = 0; i < LIMIT_KEYFRAMES; i++)
        down[i] = LIMIT_KEYFRAMES - i;
    struct records *list = list_of(LIMIT_KEYFRAMES, down, 1);
    uint64_t begin_us = clock_now_us();
    for (int i = 0; i < 20; i++) {
        struct records *copy = list_of(LIMIT_KEYFRAMES, down, 2);
        keyframes_sort(&arena, copy);
        list = (struct records *)(uintptr_t)keyframes_combine(&arena, copy, copy, LIST_APPEND);
    }
    cr_assert_eq(list->count, LIMIT_KEYFRAMES);
    cr_assert_lt(clock_now_us() - begin_us, 20000000);
}
