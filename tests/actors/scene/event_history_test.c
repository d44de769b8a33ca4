// event_history_test.c - the newest events of scenes that somebody watches.
#include "actors/scene/event_history.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/record/record_packed.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

enum { LIMIT = 5, MINUTE_MS = 60000 };

static struct event_histories all = {.limit = LIMIT};
static struct event_history *first, *second;
static const frozen_t *scene;

static const frozen_t *
frozen(const struct schema *schema, size_t name_bytes)
{
    struct arena arena = {0};
    struct record *loose = record_new(&arena, schema);
    char *name = arena_alloc(&arena, name_bytes + 1);
    memset(name, 'n', name_bytes);
    if (schema == &object_schema)
        record_set_text(loose, OBJECT_NAME, text_new(&arena, name, name_bytes));
    const frozen_t *record = record_freeze(schema, loose);
    arena_finish(&arena);
    return record;
}

static void
begin(void)
{
    scene = frozen(&scene_schema, 0);
}

static void
end(void)
{
    event_histories_finish(&all);
    cr_assert_null(first);
    cr_assert_null(second);
    cr_assert_eq(all.bytes, 0);
    record_unref(&scene);
}

static void
keep(struct event_history **owner, uint64_t seq, size_t bytes)
{
    owned(record_unref) const frozen_t *object = frozen(&object_schema, bytes);
    event_histories_keep(&all, owner,
                         &(struct event){.seq = seq, .scene = scene, .record = object});
}

// The numbers of the events after `seq`: "7 8"; "unknown" where they are not all there.
static const char *
since(const struct event_history *history, uint64_t seq)
{
    static char words[256];
    size_t size = 0;
    struct events *events;
    words[0] = '\0';
    if (!event_history_since(history, seq, &events))
        return "unknown";
    for (uint32_t i = 0; events && i < events->count; i++)
        size += (size_t)snprintf(words + size, sizeof words - size, i ? " %llu" : "%llu",
                                 (unsigned long long)events->items[i].seq);
    events_destroy(&events);
    return words;
}

Test(event_history, knows_what_came_since_the_first_watcher, .init = begin, .fini = end)
{
    keep(&first, 6, 1); // nobody watches
    event_histories_watch(&all, &first, 6, 1);
    cr_assert_str_eq(since(first, 6), "");
    keep(&first, 7, 1);
    keep(&first, 8, 1);
    cr_assert_str_eq(since(first, 6), "7 8");
    cr_assert_str_eq(since(first, 7), "8");
    cr_assert_str_eq(since(first, 8), "");
    cr_assert_str_eq(since(first, 5), "unknown");
    cr_assert_str_eq(since(first, 9), "unknown", "nobody can have that");
}

Test(event_history, keeps_as_many_events_as_it_may, .init = begin, .fini = end)
{
    event_histories_watch(&all, &first, 0, 1);
    for (uint64_t seq = 1; seq <= 2 * LIMIT + 1; seq++)
        keep(&first, seq, 1);
    cr_assert_str_eq(since(first, 6), "7 8 9 10 11");
    cr_assert_str_eq(since(first, 5), "unknown");
}

Test(event_history, keeps_nothing_where_none_is_wanted, .init = begin, .fini = end)
{
    all.limit = 0;
    event_histories_watch(&all, &first, 3, 1);
    cr_assert_null(first);
    keep(&first, 4, 1);
    cr_assert_str_eq(since(first, 3), "unknown");
}

Test(event_history, ends_some_minutes_after_the_last_word_of_a_watcher, .init = begin, .fini = end)
{
    event_histories_watch(&all, &first, 0, 1 * MINUTE_MS);
    event_histories_watch(&all, &second, 0, 2 * MINUTE_MS);
    event_histories_watch(&all, &first, 0, 3 * MINUTE_MS);
    cr_assert_eq(event_histories_deadline_ms(&all), (2 + EVENT_HISTORY_MINUTES) * MINUTE_MS);
    event_histories_expire(&all, (2 + EVENT_HISTORY_MINUTES) * MINUTE_MS);
    cr_assert_null(second);
    cr_assert_not_null(first);
    event_histories_expire(&all, (3 + EVENT_HISTORY_MINUTES) * MINUTE_MS);
    cr_assert_null(first);
    cr_assert_eq(event_histories_deadline_ms(&all), 0);
}

Test(event_history, without_memory_the_scene_goes_that_was_watched_longest_ago, .init = begin,
     .fini = end)
{
    enum { HALF = EVENT_HISTORY_BYTES / 2 };
    event_histories_watch(&all, &first, 0, 1);
    event_histories_watch(&all, &second, 0, 2);
    keep(&first, 1, HALF);
    keep(&second, 1, 1);
    cr_assert_not_null(first);
    keep(&second, 2, HALF);
    cr_assert_null(first);
    cr_assert_str_eq(since(second, 0), "1 2");
    keep(&second, 3, HALF);
    cr_assert_str_eq(since(second, 2), "3");
    cr_assert_str_eq(since(second, 0), "unknown", "its own oldest go");
    cr_assert_leq(all.bytes, (size_t)EVENT_HISTORY_BYTES);
}

Test(event_history, a_record_that_is_packed_is_kept_plain, .init = begin, .fini = end)
{
    struct arena arena = {0};
    struct record *loose = record_new(&arena, &object_schema);
    record_set_text(loose, OBJECT_NAME, text_from(&arena, "cube"));
    owned(packed_unref) const packed_t *packed = record_pack(&object_schema, loose);
    struct events *events;
    arena_finish(&arena);
    event_histories_watch(&all, &first, 6, 1);
    event_histories_keep(
        &all, &first, &(struct event){.seq = 7, .scene = scene, .record = packed_frozen(packed)});
    cr_assert(event_history_since(first, 6, &events));
    cr_assert_not(frozen_is_packed(events->items[0].record));
    cr_assert(text_is(object_of(event_record(&events->items[0]))->name, "cube"));
    events_destroy(&events);
    event_histories_forget(&all, &first);
}
