// blob_cache_test.c - which copies leave: the least recently used ones, until the rest fits.
#include "store/blob_cache.h"

#include <criterion/criterion.h>

enum { BLOCK = 4096 };

static struct blob_cache cache;

static void
begin(void)
{
    cache = (struct blob_cache){.most = 3 * BLOCK};
}

static void
end(void)
{
    blob_cache_finish(&cache);
}

TestSuite(blob_cache, .init = begin, .fini = end);

static void
add(unsigned char name, uint64_t size)
{
    const struct blob_hash hash = {{name}};
    blob_cache_add(&cache, &hash, size);
}

static void
touch(unsigned char name)
{
    const struct blob_hash hash = {{name}};
    blob_cache_touch(&cache, &hash);
}

static void
check_next(unsigned char name)
{
    struct blob_hash hash;
    cr_assert(blob_cache_next_extra(&cache, &hash));
    cr_assert_eq(hash.bytes[0], name);
}

static void
check_fits(void)
{
    struct blob_hash hash;
    cr_assert_not(blob_cache_next_extra(&cache, &hash));
}

Test(blob_cache, lets_the_least_recently_used_leave_until_the_rest_fits)
{
    for (unsigned char name = 1; name <= 5; name++)
        add(name, 10);
    touch(1);
    check_next(2);
    check_next(3);
    check_fits();
    cr_assert_eq(cache.size, 3 * BLOCK);
}

Test(blob_cache, counts_whole_blocks_so_that_empty_files_are_bounded_too)
{
    for (unsigned char name = 1; name <= 4; name++)
        add(name, 0);
    check_next(1);
    check_fits();
}

Test(blob_cache, keeps_none_that_is_larger_than_all_may_be)
{
    add(1, 100);
    add(2, 3 * BLOCK);
    check_next(1);
    check_next(2);
    check_fits();
    cr_assert_eq(cache.size, 0);
}

Test(blob_cache, counts_a_file_that_comes_again_once)
{
    add(1, BLOCK);
    add(1, 1);
    cr_assert_eq(cache.size, BLOCK);
    add(2, 1);
    add(1, 1);
    cache.most = BLOCK;
    check_next(2);
    check_fits();
}

Test(blob_cache, forgets_what_was_removed)
{
    const struct blob_hash middle = {{2}};
    for (unsigned char name = 1; name <= 3; name++)
        add(name, 1);
    blob_cache_forget(&cache, &middle);
    blob_cache_forget(&cache, &middle);
    touch(2);
    cr_assert_eq(cache.size, 2 * BLOCK);
    cache.most = 0;
    check_next(1);
    check_next(3);
    check_fits();
}

Test(blob_cache, lets_the_oldest_leave_where_they_must_give_way)
{
    struct blob_hash hash;
    add(1, 1);
    add(2, 1);
    touch(1);
    check_fits();
    cr_assert(blob_cache_next_oldest(&cache, &hash));
    cr_assert_eq(hash.bytes[0], 2);
    cr_assert(blob_cache_next_oldest(&cache, &hash));
    cr_assert_eq(hash.bytes[0], 1);
    cr_assert_not(blob_cache_next_oldest(&cache, &hash));
    cr_assert_eq(cache.size, 0);
}
