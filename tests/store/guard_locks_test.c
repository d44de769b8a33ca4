// guard_locks_test.c - which commits wait for each other.
#include "store/guard_locks.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>

static struct guard_locks locks;

static void
begin(void)
{
    guard_locks_init(&locks);
}

static void
end(void)
{
    guard_locks_finish(&locks);
}

TestSuite(guard_locks, .init = begin, .fini = end, .timeout = 20);

#define AT(text)                                                                                   \
    {                                                                                              \
        .family = FAMILY_USER, .key = { text, sizeof(text) - 1 }                                   \
    }

static const struct store_guard guard_a = {AT("a"), 1};
static const struct store_guard both[] = {{AT("a"), 1}, {AT("b"), 1}};
static const struct store_operation put_a = {.address = AT("a")};
static const struct store_commit of_a = {.guards = &guard_a, .guard_count = 1};

// What could be taken at once while `held` is: the locks that two commits share.
static uint32_t
shared(const struct store_commit *held, const struct store_commit *other)
{
    uint32_t first = guard_locks_take(&locks, held);
    guard_locks_release(&locks, first);
    uint32_t second = guard_locks_take(&locks, other);
    guard_locks_release(&locks, second);
    return first & second;
}

Test(guard_locks, a_commit_without_guards_takes_none)
{
    const struct store_commit commit = {.operations = &put_a, .operation_count = 1};
    cr_assert_eq(guard_locks_take(&locks, &commit), 0);
}

Test(guard_locks, guards_of_one_record_share_a_lock)
{
    cr_assert_neq(shared(&of_a, &of_a), 0);
}

Test(guard_locks, a_guard_and_a_write_of_one_record_share_a_lock)
{
    const struct store_guard guard = {AT("z"), 1};
    const struct store_commit writer = {
        .guards = &guard, .guard_count = 1, .operations = &put_a, .operation_count = 1};
    cr_assert_neq(shared(&of_a, &writer), 0);
}

Test(guard_locks, most_records_share_none)
{
    int sharing = 0;
    for (int i = 0; i < 1000; i++) {
        char key[8];
        int size = snprintf(key, sizeof key, "k%d", i);
        const struct store_guard guard = {{.family = FAMILY_USER, .key = {key, (size_t)size}}, 1};
        const struct store_commit commit = {.guards = &guard, .guard_count = 1};
        sharing += shared(&of_a, &commit) != 0;
    }
    cr_assert_lt(sharing, 100, "%d of 1,000", sharing);
}

static void *
take_often(void *commit)
{
    static atomic_int inside;
    for (int i = 0; i < 20000; i++) {
        uint32_t taken = guard_locks_take(&locks, commit);
        bool is_alone = atomic_fetch_add(&inside, 1) == 0;
        atomic_fetch_sub(&inside, 1);
        guard_locks_release(&locks, taken);
        if (!is_alone)
            return commit;
    }
    return NULL;
}

Test(guard_locks, commits_that_share_a_record_are_never_inside_together_and_none_waits_for_ever)
{
    const struct store_guard turned[] = {both[1], both[0]};
    struct store_commit commits[] = {
        {.guards = both, .guard_count = 2}, {.guards = turned, .guard_count = 2}, of_a};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, take_often, &commits[i]), 0);
    for (int i = 0; i < 3; i++) {
        void *met;
        pthread_join(threads[i], &met);
        cr_assert_null(met);
    }
}
