// arena_test.c - memory of arenas: zeroed, aligned, not overlapping, freed together.
#include "proto/base/arena.h"

#include <criterion/criterion.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

Test(arena, memory_is_zeroed_also_in_a_chunk_that_malloc_gives_again)
{
    for (int round = 0; round < 2; round++) {
        struct arena arena = {0};
        for (int i = 0; i < 100; i++) {
            unsigned char *bytes = arena_alloc(&arena, 40);
            for (int j = 0; j < 40; j++)
                cr_assert_eq(bytes[j], 0);
            memset(bytes, 0xff, 40);
        }
        arena_finish(&arena);
    }
}

Test(arena, memory_is_aligned_for_any_type)
{
    struct arena arena = {0};
    for (size_t size = 0; size < 100; size++)
        cr_assert_eq((uintptr_t)arena_alloc(&arena, size) % alignof(max_align_t), 0);
    arena_finish(&arena);
}

Test(arena, allocations_do_not_overlap)
{
    enum { COUNT = 300 };
    struct arena arena = {0};
    unsigned char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = arena_alloc(&arena, i * 7);
        memset(blocks[i], (int)(i % 251), i * 7);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i * 7; j++)
            cr_assert_eq(blocks[i][j], i % 251);
    arena_finish(&arena);
}

Test(arena, a_large_allocation_leaves_the_room_of_the_newest_chunk)
{
    struct arena arena = {0};
    char *first = arena_alloc(&arena, 16);
    char *large = arena_alloc(&arena, 1 << 20);
    large[(1 << 20) - 1] = 1;
    char *second = arena_alloc(&arena, 16);
    cr_assert_eq(second, first + 16);
    arena_finish(&arena);
}

Test(arena, a_large_allocation_may_come_first)
{
    struct arena arena = {0};
    char *large = arena_alloc(&arena, 100000);
    char *small = arena_alloc(&arena, 8);
    large[99999] = 1;
    *small = 2;
    cr_assert_eq(large[99999], 1);
    arena_finish(&arena);
}

Test(arena, size_counts_the_bytes_asked_for)
{
    struct arena arena = {0};
    arena_alloc(&arena, 3);
    arena_copy(&arena, "abcd", 4);
    arena_alloc(&arena, 5000);
    cr_assert_eq(arena.size, 5007);
    arena_finish(&arena);
}

Test(arena, a_copy_is_the_same_and_apart)
{
    struct arena arena = {0};
    char data[] = "scene";
    char *copy = arena_copy(&arena, data, sizeof(data));
    data[0] = 'S';
    cr_assert_str_eq(copy, "scene");
    arena_finish(&arena);
}

Test(arena, finishing_leaves_an_empty_arena_that_can_be_used_again)
{
    struct arena arena = {0};
    arena_finish(&arena);
    arena_alloc(&arena, 10);
    arena_finish(&arena);
    cr_assert_null(arena.chunks);
    cr_assert_eq(arena.size, 0);
    arena_alloc(&arena, 10);
    arena_finish(&arena);
}

Test(arena, one_that_is_joined_to_another_lives_as_long)
{
    struct arena arena = {0}, other = {0};
    arena_alloc(&arena, 10);
    char *large = arena_copy(&other, "large", 6);
    char *next = arena_alloc(&other, 5000);
    arena_join(&arena, &other);
    cr_assert_null(other.chunks);
    cr_assert_eq(other.size, 0);
    arena_finish(&other);
    cr_assert_eq(arena.size, 5016);
    cr_assert_str_eq(large, "large");
    next[4999] = 1;
    arena_finish(&arena);
}

Test(arena, an_empty_one_goes_on_in_the_chunk_of_one_that_it_takes_over)
{
    struct arena arena = {0}, other = {0};
    char *first = arena_alloc(&other, 16);
    const struct arena_chunk *chunk = other.chunks;
    arena_join(&arena, &other);
    cr_assert_eq(chunk, arena.chunks);
    cr_assert_eq(first + 16, (char *)arena_alloc(&arena, 16));
    arena_finish(&arena);
}
