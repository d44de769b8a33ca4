// catch_up_test.c - the backlog of devices that are behind: in order, each entity once.

#include "actors/streamer/fanout/catch_up.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct arena arena;
static struct catch_up catch_up;

static void
start(void)
{
    arena_init(&arena);
    catch_up = (struct catch_up){0};
}

static void
end(void)
{
    catch_up_clear(&catch_up);
    arena_finish(&arena);
}

TestSuite(catch_up, .init = start, .fini = end);

static void
take_large(uint8_t msg_type, const char *key, uint64_t seq, const char *name)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    record_set_text(object, OBJECT_NAME, text_from(&arena, name));
    struct event event = {.seq = seq,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&object_schema, object),
                          .msg_type = msg_type};
    catch_up_take(&catch_up, &event);
    record_unref(&event.scene);
    record_unref(&event.record);
}

static void
take(uint8_t msg_type, const char *key, uint64_t seq)
{
    take_large(msg_type, key, seq, "");
}

// The backlog of a device that has everything up to `seq`, as "type:key:seq ".
static const char *
backlog(uint64_t seq)
{
    static char text[4096];
    uint64_t behind = seq;
    size_t size = 0;
    struct event event;
    text[0] = '\0';
    for (; catch_up_after(&catch_up, seq, behind, &event); seq = event.seq)
        size += (size_t)snprintf(text + size, sizeof text - size, "%u:%s:%lu ", event.msg_type,
                                 text_chars(frozen_key(event.record)), event.seq);
    return text;
}

Test(catch_up, the_backlog_is_what_comes_after_what_a_device_has)
{
    take(EVENT_OBJECT_UPDATED, "a", 3);
    take(EVENT_OBJECT_UPDATED, "b", 5);
    cr_assert_str_eq(backlog(0), "1:a:3 1:b:5 ");
    cr_assert_str_eq(backlog(2), "1:a:3 1:b:5 ");
    cr_assert_str_eq(backlog(3), "1:b:5 ");
    cr_assert_str_eq(backlog(4), "1:b:5 ");
    cr_assert_str_eq(backlog(5), "");
}

Test(catch_up, the_newest_state_of_an_entity_stands_for_all)
{
    take(EVENT_OBJECT_UPDATED, "a", 1);
    take(EVENT_OBJECT_UPDATED, "b", 2);
    take(EVENT_OBJECT_UPDATED, "a", 3);
    cr_assert_str_eq(backlog(0), "1:b:2 1:a:3 ");
    cr_assert_str_eq(backlog(1), "1:b:2 1:a:3 ");
    cr_assert_str_eq(backlog(2), "1:a:3 ");
}

Test(catch_up, only_a_device_that_missed_the_creation_is_sent_a_creation)
{
    take(EVENT_OBJECT_CREATED, "a", 1);
    take(EVENT_OBJECT_UPDATED, "b", 2);
    take(EVENT_OBJECT_UPDATED, "a", 3);
    take(EVENT_OBJECT_UPDATED, "a", 4);
    cr_assert_str_eq(backlog(0), "1:b:2 0:a:4 ");
    cr_assert_str_eq(backlog(1), "1:b:2 1:a:4 ");
    take(EVENT_OBJECT_DELETED, "a", 5);
    cr_assert_str_eq(backlog(0), "1:b:2 3:a:5 ");
    take(EVENT_OBJECT_CREATED, "a", 6);
    cr_assert_str_eq(backlog(4), "0:a:6 ");
}

Test(catch_up, events_of_actions_stand_apart)
{
    take(EVENT_OBJECT_ACTION_UPDATED, "a", 1);
    take(EVENT_OBJECT_UPDATED, "a", 2);
    take(EVENT_OBJECT_UPDATED, "a", 3);
    cr_assert_str_eq(backlog(0), "20:a:1 1:a:3 ");
}

Test(catch_up, memory_grows_with_entities_not_with_events)
{
    char key[24];
    for (uint64_t seq = 1; seq <= 100000; seq++) {
        snprintf(key, sizeof key, "%lu", seq % 10);
        take(EVENT_OBJECT_UPDATED, key, seq);
        cr_assert_leq(catch_up.capacity, 128);
    }
    cr_assert_eq(catch_up.live, 10);
    cr_assert_str_eq(backlog(99998), "1:9:99999 1:0:100000 ");
}

Test(catch_up, beyond_the_limit_all_is_forgotten_and_it_says_up_to_where)
{
    char key[24];
    for (uint64_t seq = 1; seq <= CATCH_UP_EVENTS; seq++) {
        snprintf(key, sizeof key, "%lu", seq);
        take(EVENT_OBJECT_UPDATED, key, seq);
    }
    cr_assert_eq(catch_up.live, CATCH_UP_EVENTS);
    take(EVENT_OBJECT_UPDATED, "1", CATCH_UP_EVENTS + 1);
    cr_assert_eq(catch_up.live, CATCH_UP_EVENTS);
    cr_assert_eq(catch_up.floor, 0);
    take(EVENT_OBJECT_UPDATED, "more", CATCH_UP_EVENTS + 2);
    cr_assert_eq(catch_up.live, 0);
    cr_assert_eq(catch_up.floor, CATCH_UP_EVENTS + 2);
    take(EVENT_OBJECT_UPDATED, "next", CATCH_UP_EVENTS + 3);
    cr_assert_str_eq(backlog(0), "1:next:65539 ");
}

// Nobody else has the records of what was deleted; those of what is there are the scene's.
Test(catch_up, a_buffer_that_holds_too_much_of_what_was_deleted_is_emptied)
{
    enum { LARGE = CATCH_UP_BYTES / 4 };
    static char name[LARGE + 1], key[8];
    memset(name, 'n', LARGE);
    for (unsigned i = 1; i <= 8; i++) {
        snprintf(key, sizeof key, "k%u", i);
        take_large(EVENT_OBJECT_UPDATED, key, i, name);
    }
    cr_assert_eq(catch_up.live, 8);
    for (unsigned i = 1; i <= 3; i++) {
        snprintf(key, sizeof key, "k%u", i);
        take_large(EVENT_OBJECT_DELETED, key, 8 + i, name);
    }
    cr_assert_eq(catch_up.live, 8);
    cr_assert_eq(catch_up.floor, 0);
    take_large(EVENT_OBJECT_DELETED, "k4", 12, name);
    cr_assert_eq(catch_up.live, 0);
    cr_assert_eq(catch_up.floor, 12);
    cr_assert_eq(catch_up.bytes, 0);
}
