// recent_changes_test.c - what can be sent again, for how long, and in how much memory.

#include "actors/streamer/fanout/recent_changes.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

enum { START = 1000000 };

static struct arena arena;
static struct recent_changes recent;

static void
start(void)
{
    arena_init(&arena);
    recent = (struct recent_changes){0};
}

static void
end(void)
{
    recent_changes_finish(&recent);
    arena_finish(&arena);
}

TestSuite(recent_changes, .init = start, .fini = end);

static void
take_at(uint8_t msg_type, const char *key, uint64_t seq, uint64_t now_us, size_t most)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    struct event event = {.seq = seq,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&object_schema, object),
                          .msg_type = msg_type};
    recent_changes_take(&recent, &event, now_us, most);
    record_unref(&event.scene);
    record_unref(&event.record);
}

static void
take(uint8_t msg_type, const char *key, uint64_t seq)
{
    take_at(msg_type, key, seq, START, RECENT_BYTES);
}

// The answer to a question, as "type:key:number:newest " in order.
static const char *
answer(uint64_t from, uint64_t to)
{
    static char text[4096];
    struct event event;
    uint64_t after = from - 1;
    size_t size = 0;
    text[0] = '\0';
    while (recent_changes_next(&recent, from, after, to, &event, &after))
        size += (size_t)snprintf(text + size, sizeof text - size, "%u:%s:%lu:%lu ", event.msg_type,
                                 text_chars(frozen_key(event.record)), after, event.seq);
    return text;
}

Test(recent_changes, an_answer_has_each_entity_once_at_its_last_change_that_was_asked_for)
{
    take(EVENT_OBJECT_UPDATED, "a", 5);
    take(EVENT_OBJECT_UPDATED, "b", 6);
    take(EVENT_OBJECT_UPDATED, "a", 7);
    take(EVENT_OBJECT_UPDATED, "c", 8);
    take(EVENT_OBJECT_UPDATED, "b", 9);
    cr_expect_str_eq(answer(5, 9), "1:a:7:7 1:c:8:8 1:b:9:9 ");
    cr_expect_str_eq(answer(5, 6), "1:a:5:7 1:b:6:9 ");
    cr_expect_str_eq(answer(6, 7), "1:b:6:9 1:a:7:7 ");
    cr_expect_str_eq(answer(10, 20), "");
}

Test(recent_changes, what_was_created_since_is_created_in_the_answer)
{
    take(EVENT_OBJECT_CREATED, "a", 5);
    take(EVENT_OBJECT_UPDATED, "a", 6);
    cr_expect_str_eq(answer(5, 6), "0:a:6:6 ");
    cr_expect_str_eq(answer(6, 6), "1:a:6:6 ");
    take(EVENT_OBJECT_DELETED, "a", 7);
    cr_expect_str_eq(answer(5, 7), "3:a:7:7 ");
    take(EVENT_OBJECT_CREATED, "a", 8);
    cr_expect_str_eq(answer(7, 8), "0:a:8:8 ");
}

Test(recent_changes, events_of_actions_stand_for_themselves)
{
    take(EVENT_OBJECT_UPDATED, "a", 5);
    take(EVENT_OBJECT_ACTION_UPDATED, "a", 6);
    cr_expect_str_eq(answer(5, 6), "1:a:5:5 20:a:6:6 ");
}

Test(recent_changes, nothing_is_known_from_before_the_first_change)
{
    cr_assert(!recent_changes_reach(&recent, 1));
    take(EVENT_OBJECT_UPDATED, "a", 5);
    cr_assert(!recent_changes_reach(&recent, 4));
    cr_assert(recent_changes_reach(&recent, 5));
}

Test(recent_changes, what_is_30_s_old_is_forgotten)
{
    take_at(EVENT_OBJECT_UPDATED, "a", 1, START, RECENT_BYTES);
    take_at(EVENT_OBJECT_UPDATED, "b", 2, START + 10, RECENT_BYTES);
    take_at(EVENT_OBJECT_UPDATED, "a", 3, START + 20, RECENT_BYTES);
    cr_assert_eq(recent_changes_due_us(&recent), START + RECENT_US);
    recent_changes_age(&recent, START + RECENT_US);
    cr_assert(!recent_changes_reach(&recent, 1));
    cr_assert_str_eq(answer(2, 3), "1:b:2:2 1:a:3:3 ");
    recent_changes_age(&recent, START + RECENT_US + 20);
    cr_assert_eq(recent_changes_due_us(&recent), UINT64_MAX);
    cr_assert_eq(recent.bytes, 0);
    cr_assert_null(recent.ring);
    cr_assert(!recent_changes_reach(&recent, 3));
}

Test(recent_changes, they_take_no_more_memory_than_they_may)
{
    char key[24];
    for (uint64_t seq = 1; seq <= 20000; seq++) {
        snprintf(key, sizeof key, "%lu", seq % 700);
        take_at(EVENT_OBJECT_UPDATED, key, seq, START + seq, 100000);
        cr_assert_leq(recent.bytes, 100000);
    }
    cr_assert(recent_changes_reach(&recent, 20000));
    cr_assert_gt(recent.count, 100);
    cr_assert_leq(recent.entities.count, recent.count);
}

Test(recent_changes, a_change_that_is_too_large_by_itself_is_not_known)
{
    take_at(EVENT_OBJECT_UPDATED, "a", 1, START, 10);
    cr_assert(!recent_changes_reach(&recent, 1));
    cr_assert_eq(recent.bytes, 0);
}

Test(recent_changes, what_was_lost_ends_what_is_known)
{
    take(EVENT_OBJECT_UPDATED, "a", 5);
    take(EVENT_OBJECT_UPDATED, "b", 9);
    recent_changes_forget(&recent, 7);
    cr_assert(!recent_changes_reach(&recent, 7));
    cr_assert(recent_changes_reach(&recent, 8));
    cr_assert_str_eq(answer(8, 9), "1:b:9:9 ");
}
