// copied_window_test.c - commits of a leader in one window: what is stored, and who shows what.
#include "actors/replica/copied_window.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "tests/support/tested_store.h"

enum { SHARDS = 2 };

static struct temporary directory;
static store_t *store;
static copied_window_t *window;
static char large[LIMIT_COMMIT_BYTES];

static void
begin(void)
{
    temporary_init(&directory);
    store = tested_store_open(&directory);
    window = copied_window_create(SHARDS);
}

static void
end(void)
{
    copied_window_destroy(&window);
    store_destroy(&store);
    temporary_finish(&directory);
}

TestSuite(copied_window, .init = begin, .fini = end);

static struct store_operation
put(enum family family, uint16_t part, const char *key, size_t size)
{
    return (struct store_operation){.address = {family, part, {key, strlen(key)}},
                                    .value = {large, size}};
}

static bool
add(const struct store_operation *operations, size_t count)
{
    const struct store_change change = {
        .first = 1, .last = count, .operations = operations, .operation_count = count};
    return copied_window_add(window, &change);
}

static size_t
writes_of(const char *name)
{
    unsigned count;
    const struct window_part *parts = copied_window_parts(window, &count);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(parts[i].name, name) == 0)
            return parts[i].batch ? parts[i].batch->count : 0;
    cr_assert_fail("there is no part for %s", name);
    return 0;
}

static enum store_result
get(enum family family, uint16_t part, const char *key)
{
    const struct store_address address = {family, part, {key, strlen(key)}};
    store_version_t version;
    void *value = NULL;
    size_t size;
    enum store_result result =
        store_get(store, &address, clock_deadline_ms(10000), &version, &value, &size);
    free(value);
    return result;
}

Test(copied_window, writes_go_to_the_actors_that_own_their_partitions)
{
    const struct store_operation operations[] = {
        put(FAMILY_SCENE, 4, "Sa", 1), put(FAMILY_SCENE, 5, "Sb", 1), put(FAMILY_SCENE, 7, "Sc", 1),
        put(FAMILY_ASSET, 0, "Ja", 1), put(FAMILY_USER, 0, "Ua", 1)};
    cr_assert(add(operations, 5));
    cr_assert_eq(1, writes_of("scene.0"));
    cr_assert_eq(2, writes_of("scene.1"));
    cr_assert_eq(1, writes_of("asset"));
    cr_assert_eq(1, writes_of("user"));
}

Test(copied_window, what_belongs_to_the_leader_alone_is_left_out)
{
    const struct store_operation operations[] = {put(FAMILY_STREAMER, 0, "N", 8),
                                                 put(FAMILY_FORMAT, 0, "F", 1)};
    cr_assert(add(operations, 2));
    cr_assert(copied_window_is_empty(window));
}

Test(copied_window, a_write_without_a_key_is_left_out)
{
    const struct store_operation operation = put(FAMILY_SCENE, 4, "", 1);
    cr_assert(add(&operation, 1));
    cr_assert(copied_window_is_empty(window));
}

Test(copied_window, all_of_it_is_stored_with_the_place)
{
    const struct store_operation operations[] = {put(FAMILY_SCENE, 4, "Sa", 1),
                                                 put(FAMILY_USER, 0, "Ua", 1)};
    const struct followed_place place = {FOLLOWED_NOW, {9, 42}};
    struct followed_place read;
    cr_assert(add(operations, 2));
    cr_assert_eq(OK, copied_window_store(window, store, &place));
    cr_assert_eq(STORE_OK, get(FAMILY_SCENE, 4, "Sa"));
    cr_assert_eq(STORE_OK, get(FAMILY_USER, 0, "Ua"));
    cr_assert_eq(OK, followed_place_read(store, &read));
    cr_assert_eq(42, read.leader.position);
}

Test(copied_window, the_largest_commit_fits_alone_and_nothing_beside_it)
{
    const struct store_operation largest = put(FAMILY_SCENE, 4, "Sa", LIMIT_COMMIT_BYTES - 2);
    const struct store_operation small = put(FAMILY_SCENE, 4, "Sb", 1);
    const struct followed_place place = {FOLLOWED_NOW, {9, 42}};
    cr_assert(add(&largest, 1));
    cr_assert_not(add(&small, 1));
    cr_assert_eq(OK, copied_window_store(window, store, &place));
    cr_assert_eq(STORE_ABSENT, get(FAMILY_SCENE, 4, "Sb"));
}

Test(copied_window, one_that_was_cleared_is_empty)
{
    const struct store_operation operation = put(FAMILY_SCENE, 4, "Sa", 1);
    cr_assert(add(&operation, 1));
    copied_window_clear(window);
    cr_assert(copied_window_is_empty(window));
    cr_assert_eq(0, writes_of("scene.0"));
}
