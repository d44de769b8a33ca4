// followed_test.c - the decorator of a server that follows, over a real store.
#include "store/followed.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "tests/support/tested_store.h"

static struct temporary directory;
static store_t *store;

static void
begin(void)
{
    temporary_init(&directory);
    store = tested_store_open(&directory);
    followed_wrap(&store, &store);
}

static void
end(void)
{
    store_destroy(&store);
    temporary_finish(&directory);
}

TestSuite(followed, .init = begin, .fini = end);

static enum store_result
commit(enum family family, bool is_copy, size_t bytes)
{
    static const char value[LIMIT_COMMIT_BYTES + 100];
    const struct store_operation put = {.address = {family, 3, {"Skey", 4}},
                                        .value = {value, bytes}};
    const struct store_commit commit = {
        .id = 1, .operations = &put, .operation_count = 1, .is_copy = is_copy};
    return store_commit(store, &commit, clock_deadline_ms(10000));
}

static enum store_result
get(enum family family)
{
    const struct store_address address = {family, 3, {"Skey", 4}};
    store_version_t version;
    void *value = NULL;
    size_t size;
    enum store_result result =
        store_get(store, &address, clock_deadline_ms(10000), &version, &value, &size);
    free(value);
    return result;
}

Test(followed, what_is_decided_here_is_refused_and_not_written)
{
    cr_assert_eq(STORE_UNAVAILABLE, commit(FAMILY_SCENE, false, 1));
    cr_assert_eq(STORE_UNAVAILABLE, commit(FAMILY_USER, false, 1));
    cr_assert_eq(STORE_ABSENT, get(FAMILY_SCENE));
}

Test(followed, copies_of_the_leader_are_written)
{
    cr_assert_eq(STORE_OK, commit(FAMILY_SCENE, true, 1));
    cr_assert_eq(STORE_OK, get(FAMILY_SCENE));
}

Test(followed, what_concerns_this_process_alone_is_written)
{
    cr_assert_eq(STORE_OK, commit(FAMILY_STREAMER, false, 1));
}

Test(followed, a_copy_has_room_for_the_place_beside_the_largest_commit)
{
    cr_assert_eq(STORE_OK, commit(FAMILY_SCENE, true, LIMIT_COMMIT_BYTES));
    cr_assert_eq(STORE_LIMIT, commit(FAMILY_SCENE, true, LIMIT_COMMIT_BYTES + 64));
}

Test(followed, a_store_that_only_takes_copies_is_well)
{
    cr_assert_eq(STORE_OK, store_ping(store, clock_deadline_ms(10000)));
}
