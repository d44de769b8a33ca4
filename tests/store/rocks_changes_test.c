// rocks_changes_test.c - commits read back from the log of RocksDB: whole, in order, each once,
// also over a restart; and logs that nobody needs.
#include "store/rocks_changes.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/clock.h"
#include "store/rocks.h"
#include "tests/support/engines.h"

enum { ALL = 1 << 30 };

static struct temporary folder;
static char path[TEMPORARY_PATH_BYTES];
static store_t *store;

static void
open_store(void)
{
    cr_assert_eq(rocks_open_keeping(path, false, false, &store), OK, "%s", fault_last()->detail);
}

static void
begin(void)
{
    temporary_init(&folder);
    temporary_path(&folder, "store", path);
    open_store();
}

static void
end(void)
{
    store_destroy(&store);
    temporary_finish(&folder);
}

TestSuite(rocks_changes, .init = begin, .fini = end);

// What was visited, as text: "1-2 id 5: +a=1 -b"
struct seen {
    char text[4096];
    uint64_t last, time_us;
    size_t count, stop_after;
};

static bool
note(void *context, const struct store_change *change)
{
    struct seen *self = context;
    size_t size = strlen(self->text);
    size += (size_t)snprintf(self->text + size, sizeof self->text - size,
                             "%llu-%llu id %llu:", (unsigned long long)change->first,
                             (unsigned long long)change->last, (unsigned long long)change->id);
    for (size_t i = 0; i < change->operation_count && size < sizeof self->text; i++) {
        const struct store_operation *operation = &change->operations[i];
        size +=
            (size_t)snprintf(self->text + size, sizeof self->text - size, " %c%u/%u/%.*s=%.*s",
                             operation->is_delete ? '-' : '+', (unsigned)operation->address.family,
                             (unsigned)operation->address.part, (int)operation->address.key.size,
                             (const char *)operation->address.key.data, (int)operation->value.size,
                             (const char *)operation->value.data);
    }
    snprintf(self->text + size, sizeof self->text - size, "\n");
    self->last = change->last;
    self->time_us = change->time_us;
    return ++self->count != self->stop_after;
}

Test(rocks_changes, are_the_commits_behind_a_position_with_all_that_they_wrote)
{
    struct seen seen = {0};
    put_letters(store);
    cr_assert_eq(commit_one(store, DELETE("b"), 5), STORE_OK);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_OK);
    cr_assert_str_eq(seen.text, "1-4 id 1: +0/5/c=3 +0/5/a=1 +0/5/d=4 +0/5/b=2\n"
                                "5-5 id 5: -0/5/b=\n");
    seen = (struct seen){0};
    cr_assert_eq(store_changes(store, 4, ALL, note, &seen), STORE_OK);
    cr_assert_str_eq(seen.text, "5-5 id 5: -0/5/b=\n");
}

Test(rocks_changes, end_at_the_position_of_the_store)
{
    uint64_t position;
    cr_assert_eq(store_position(store, &position), STORE_OK);
    cr_assert_eq(position, 0);
    put_letters(store);
    cr_assert_eq(store_position(store, &position), STORE_OK);
    cr_assert_eq(position, 4);
    struct seen seen = {0};
    cr_assert_eq(store_changes(store, 4, ALL, note, &seen), STORE_OK);
    cr_assert_eq(store_changes(store, 5, ALL, note, &seen), STORE_ABSENT);
    cr_assert_eq(seen.count, 0);
}

Test(rocks_changes, say_when_they_were_written)
{
    struct seen seen = {0};
    uint64_t before = clock_calendar_us();
    put_letters(store);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_OK);
    cr_assert_geq(seen.time_us, before);
    cr_assert_leq(seen.time_us, clock_calendar_us());
}

Test(rocks_changes, a_ping_is_none)
{
    struct seen seen = {0};
    cr_assert_eq(store_ping(store, 0), STORE_OK);
    put_letters(store);
    cr_assert_eq(store_ping(store, 0), STORE_OK);
    cr_assert_eq(commit_one(store, DELETE("b"), 5), STORE_OK);
    cr_assert_eq(store_ping(store, 0), STORE_OK);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_OK);
    cr_assert_eq(seen.count, 2);
    cr_assert_eq(seen.last, 5);
}

Test(rocks_changes, a_reader_goes_on_where_it_stopped)
{
    struct seen seen = {0};
    for (unsigned i = 0; i < 20; i++) {
        cr_assert_eq(commit_one(store, PUT("a", "1"), 10 + i), STORE_OK);
        cr_assert_eq(store_changes(store, seen.last, 1, note, &seen), STORE_OK);
        cr_assert_eq(seen.last, i + 1);
    }
    cr_assert_eq(seen.count, 20);
}

Test(rocks_changes, a_visit_that_is_ended_can_go_on)
{
    struct seen seen = {.stop_after = 1};
    put_letters(store);
    put_letters(store);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_OK);
    cr_assert_eq(seen.last, 4);
    cr_assert_eq(store_changes(store, 4, ALL, note, &seen), STORE_OK);
    cr_assert_eq(seen.last, 8);
}

Test(rocks_changes, are_there_after_a_restart_although_recovery_does_not_need_them)
{
    struct seen seen = {0};
    put_letters(store);
    for (int i = 0; i < 3; i++) {
        store_destroy(&store);
        open_store();
        cr_assert_eq(commit_one(store, DELETE("b"), 5), STORE_OK);
    }
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_OK);
    cr_assert_eq(seen.last, 7);
    cr_assert_eq(seen.count, 4);
}

static bool
is_archive_empty(void)
{
    char archive[TEMPORARY_PATH_BYTES];
    struct stat status;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(archive, sizeof archive, "%.200s/archive/%06u.log", path, i);
        if (stat(archive, &status) == 0)
            return false;
    }
    return true;
}

static void
restart(void)
{
    store_destroy(&store);
    open_store();
}

Test(rocks_changes, that_are_released_go_and_others_stay)
{
    struct seen seen = {0};
    put_letters(store);
    restart();
    cr_assert_not(is_archive_empty());
    store_release(store, 0, 0, ALL);
    store_release(store, 3, 0, ALL);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_OK);
    cr_assert_eq(seen.count, 1);
    store_release(store, 4, 0, ALL);
    cr_assert(is_archive_empty());
    cr_assert_eq(commit_one(store, DELETE("b"), 5), STORE_OK);
    cr_assert_eq(store_changes(store, 4, ALL, note, &seen), STORE_OK);
    cr_assert_eq(seen.last, 5);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_ABSENT, "they are gone");
}

Test(rocks_changes, that_are_released_stay_while_there_is_room_for_them)
{
    struct seen seen = {0};
    put_letters(store);
    restart();
    store_release(store, UINT64_MAX, ALL, ALL);
    store_release(store, UINT64_MAX, ALL, ALL);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_OK);
    store_release(store, UINT64_MAX, 1, ALL);
    cr_assert(is_archive_empty());
}

Test(rocks_changes, more_readers_than_there_are_places_see_all_of_them)
{
    static struct seen seen[ROCKS_READERS + 2];
    for (unsigned i = 0; i < 20; i++)
        cr_assert_eq(commit_one(store, PUT("a", "1"), 10 + i), STORE_OK);
    for (unsigned i = 0; i < 20; i++)
        for (unsigned reader = 0; reader < ROCKS_READERS + 2; reader++) {
            seen[reader].text[0] = '\0';
            if (seen[reader].last < 20)
                cr_assert_eq(store_changes(store, seen[reader].last, 1, note, &seen[reader]),
                             STORE_OK);
        }
    for (unsigned reader = 0; reader < ROCKS_READERS + 2; reader++)
        cr_assert_eq(seen[reader].count, 20);
}

Test(rocks_changes, the_oldest_go_where_there_is_no_room_for_them)
{
    struct seen seen = {0};
    put_letters(store);
    restart();
    store_release(store, 0, 0, 0);
    cr_assert(is_archive_empty());
    cr_assert_eq(commit_one(store, DELETE("b"), 5), STORE_OK);
    cr_assert_eq(store_changes(store, 0, ALL, note, &seen), STORE_ABSENT);
    cr_assert_eq(seen.count, 0, "a gap is never bridged");
}

Test(rocks_changes, a_start_without_them_removes_what_was_kept)
{
    put_letters(store);
    restart();
    store_destroy(&store);
    cr_assert_eq(rocks_open(path, false, false, &store), OK);
    cr_assert(is_archive_empty());
}

enum { WRITERS = 4, COMMITS = 500 };

static void *
write_many(void *number)
{
    for (unsigned i = 1; i <= COMMITS; i++) {
        char value[16];
        int size = snprintf(value, sizeof value, "%u", i);
        const struct store_operation operation = {
            .address = {FAMILY_SCENE, (uint16_t)(uintptr_t)number, BYTES("key")},
            .value = {value, (size_t)size}};
        cr_assert_eq(commit_one(store, operation, ((uintptr_t)number + 1) * 1000 + i), STORE_OK);
    }
    return NULL;
}

struct order {
    uint64_t last, steps[WRITERS], count;
};

// Each writer's commits come in its order, and positions without gaps.
static bool
check_order(void *context, const struct store_change *change)
{
    struct order *self = context;
    cr_assert_eq(change->first, self->last + 1);
    cr_assert_eq(change->operation_count, 1);
    self->last = change->last;
    unsigned writer = change->operations[0].address.part;
    cr_assert_eq(change->id, (writer + 1) * 1000 + ++self->steps[writer]);
    self->count++;
    return true;
}

Test(rocks_changes, of_several_writers_at_once_are_each_there_once_while_they_write)
{
    pthread_t threads[WRITERS];
    struct order order = {0};
    for (uintptr_t i = 0; i < WRITERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, write_many, (void *)i), 0);
    uint64_t deadline_ms = clock_deadline_ms(60000);
    while (order.count < WRITERS * COMMITS && clock_left_ms(deadline_ms))
        cr_assert_eq(store_changes(store, order.last, 4096, check_order, &order), STORE_OK);
    for (unsigned i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(order.count, WRITERS * COMMITS);
}
