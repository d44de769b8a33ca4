// record_runs_test.c - sorted runs become one ordered set. The leak check of the address sanitizer
// counts the references.
#include "actors/runtime/record_runs.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/object.h"

static const frozen_t *
make(unsigned key)
{
    struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_format(&arena, "%06u", key));
    const frozen_t *frozen = record_freeze(&object_schema, object);
    arena_finish(&arena);
    return frozen;
}

static void
add(struct record_run *run, unsigned key)
{
    owned(record_unref) const frozen_t *record = make(key);
    record_run_add(run, record);
}

Test(record_runs, runs_of_any_length_become_one_set_in_order)
{
    enum { RUNS = 37, KEYS = 2000 };
    struct record_run runs[RUNS] = {0};
    struct record_set set = {0};
    char key[16];
    for (unsigned i = 0; i < KEYS; i++)
        add(&runs[i * i % RUNS], i); // not all of them get some, and none the same number
    record_runs_merge(runs, RUNS, &set);
    size_t count;
    const frozen_t *const *items = record_set_items(&set, &count);
    cr_assert_eq(count, KEYS);
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "%06u", i);
        cr_assert_str_eq(text_chars(frozen_key(items[i])), key);
    }
    record_set_finish(&set);
}

// A pointer and eight bytes of the key each.
Test(record_runs, the_set_has_room_for_its_records_and_no_more)
{
    struct record_run runs[2] = {0};
    struct record_set set = {0};
    for (unsigned i = 0; i < 1100; i++)
        add(&runs[i % 2], i);
    record_runs_merge(runs, 2, &set);
    cr_assert_eq(record_set_room(&set), 1100 * 16);
    record_set_finish(&set);
}

Test(record_runs, no_runs_leave_the_set_empty)
{
    struct record_run runs[3] = {0};
    struct record_set set = {0};
    record_runs_merge(runs, 3, &set);
    cr_assert_eq(record_set_count(&set), 0);
    record_set_finish(&set);
}

Test(record_runs, what_no_set_has_taken_is_dropped)
{
    struct record_run runs[2] = {0};
    add(&runs[0], 1);
    add(&runs[1], 2);
    record_runs_finish(runs, 2);
    cr_assert_eq(runs[0].count, 0);
    cr_assert_null(runs[1].items);
}
