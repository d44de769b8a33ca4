// retransmit_test.c - what is sent again, when, and with which members.

#include "actors/streamer/fanout/retransmit.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

enum { MS = 1000, START = 50 * 1000 * MS };

static const uint64_t name = UINT64_C(1) << OBJECT_NAME, type = UINT64_C(1) << OBJECT_TYPE;

static struct arena arena;
static struct retransmit retransmit;

static void
start(void)
{
    arena_init(&arena);
    retransmit = (struct retransmit){0};
}

static void
end(void)
{
    retransmit_finish(&retransmit);
    arena_finish(&arena);
}

TestSuite(retransmit, .init = start, .fini = end);

// Sends an event of the object `key` with these members, as a tick at that time would.
static struct sending
change(uint8_t msg_type, const char *key, uint64_t seq, const char *name_text,
       const char *type_text, uint64_t now_us)
{
    struct record *scene = record_new(&arena, &scene_schema);
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    if (name_text)
        record_set_text(object, OBJECT_NAME, text_from(&arena, name_text));
    if (type_text)
        record_set_text(object, OBJECT_TYPE, text_from(&arena, type_text));
    struct event event = {.seq = seq,
                          .scene = record_freeze(&scene_schema, scene),
                          .record = record_freeze(&object_schema, object),
                          .msg_type = msg_type};
    struct pending_repeat *repeat = retransmit_find(&retransmit, &event);
    struct sending sent = retransmit_sending(repeat, &event, now_us);
    retransmit_note_change(&retransmit, repeat, &event, &sent, now_us);
    record_unref(&event.scene);
    record_unref(&event.record);
    return sent;
}

static struct sending
update(uint64_t seq, const char *name_text, const char *type_text, uint64_t now_us)
{
    return change(EVENT_OBJECT_UPDATED, "a", seq, name_text, type_text, now_us);
}

// The repeat that is due then, which must be there, and be of this event.
static struct sending
repeat(uint64_t seq, uint64_t now_us)
{
    struct pending_repeat *repeat = retransmit_next(&retransmit, now_us);
    cr_assert_not_null(repeat);
    cr_assert_eq(repeat->event.seq, seq);
    struct sending sent = {.members = repeat->members, .msg_type = repeat->msg_type};
    retransmit_note_repeat(&retransmit, repeat, now_us);
    return sent;
}

Test(retransmit, an_entity_is_sent_whole_first_and_then_what_changed)
{
    cr_assert_eq(update(1, "n", "t", START).members, name | type);
    cr_assert_eq(update(2, "m", "t", START + 10 * MS).members, name);
    cr_assert_eq(update(3, "m", NULL, START + 20 * MS).members, type);
    cr_assert_eq(update(4, "m", NULL, START + 30 * MS).members, 0);
}

Test(retransmit, a_change_is_repeated_three_times_and_then_the_entity_is_whole)
{
    update(1, "n", "t", START);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 100 * MS);
    cr_assert_null(retransmit_next(&retransmit, START + 100 * MS - 1));
    cr_assert_eq(repeat(1, START + 100 * MS).members, name | type);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 500 * MS);
    cr_assert_eq(repeat(1, START + 500 * MS).members, name | type);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 2000 * MS);
    cr_assert_eq(repeat(1, START + 2000 * MS).members, name | type);
    cr_assert_eq(retransmit_due_us(&retransmit), UINT64_MAX);
    cr_assert_eq(retransmit.entities.count, 0);
    cr_assert_eq(update(2, "m", "t", START + 3000 * MS).members, name | type, "sent whole again");
}

Test(retransmit, a_new_change_starts_over_and_the_union_is_repeated)
{
    update(1, "n", "t", START);
    repeat(1, START + 100 * MS);
    cr_assert_eq(update(2, "m", "t", START + 200 * MS).members, name);
    cr_assert_eq(repeat(2, START + 600 * MS).members, name | type);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 700 * MS);
    repeat(2, START + 700 * MS);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 2200 * MS);
}

Test(retransmit, what_changed_once_comes_along_three_times_while_others_go_on_changing)
{
    update(1, "n", "t", START);
    cr_assert_eq(update(2, "m", "t", START + 50 * MS).members, name);
    cr_assert_eq(update(3, "k", "t", START + 100 * MS).members, name | type);
    cr_assert_eq(update(4, "l", "t", START + 150 * MS).members, name);
    cr_assert_eq(update(5, "j", "t", START + 510 * MS).members, name | type);
    cr_assert_eq(update(6, "i", "t", START + 1000 * MS).members, name);
    cr_assert_eq(update(7, "h", "t", START + 2000 * MS).members, name | type);
    cr_assert_eq(update(8, "g", "t", START + 2200 * MS).members, name);
    cr_assert_eq(repeat(8, START + 3000 * MS).members, name);
}

Test(retransmit, a_member_that_the_window_lacks_begins_a_window_of_all)
{
    update(1, "n", NULL, START);
    cr_assert_eq(update(2, "m", "t", START + 90 * MS).members, name | type);
    cr_assert_eq(update(3, "l", "t", START + 110 * MS).members, name);
    cr_assert_eq(update(4, "k", "t", START + 190 * MS).members, name | type);
    cr_assert_eq(update(5, "j", "t", START + 590 * MS).members, name | type);
    cr_assert_eq(update(6, "i", "t", START + 2090 * MS).members, name | type);
    cr_assert_eq(update(7, "h", "t", START + 2200 * MS).members, name);
}

Test(retransmit, what_changes_again_before_its_repeat_is_due_is_not_repeated)
{
    char text[24];
    for (uint64_t tick = 0; tick < 50; tick++) {
        snprintf(text, sizeof text, "%lu", tick);
        update(tick + 1, text, NULL, START + tick * 99 * MS);
        cr_assert_null(retransmit_next(&retransmit, START + tick * 99 * MS + 98 * MS));
    }
}

Test(retransmit, the_first_repeat_of_what_changes_regularly_waits_for_its_next_change)
{
    char text[24];
    for (uint64_t tick = 0; tick < 10; tick++) {
        snprintf(text, sizeof text, "%lu", tick);
        update(tick + 1, text, NULL, START + tick * 400 * MS);
        uint64_t due_us = START + tick * 400 * MS + (tick ? 600U : 100U) * MS;
        cr_assert_eq(retransmit_due_us(&retransmit), due_us, "tick %lu", tick);
    }
    repeat(10, START + 4200 * MS);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 4300 * MS, "then as always");
    repeat(10, START + 4300 * MS);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 5600 * MS);
    update(11, "m", NULL, START + 5000 * MS);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 5100 * MS, "it was not regular");
}

Test(retransmit, what_goes_on_changing_is_created_three_times_more)
{
    char text[24];
    unsigned creations = 0;
    change(EVENT_OBJECT_CREATED, "a", 1, "n", "t", START);
    for (uint64_t tick = 1; tick <= 50; tick++) {
        snprintf(text, sizeof text, "%lu", tick);
        struct sending sent = update(tick + 1, text, "t", START + tick * 100 * MS);
        bool is_creation = tick == 1 || tick == 5 || tick == 20;
        cr_assert_eq(sent.members, is_creation ? name | type : name, "tick %lu", tick);
        cr_assert_eq(sent.msg_type, is_creation ? EVENT_OBJECT_CREATED : EVENT_OBJECT_UPDATED);
        creations += is_creation;
    }
    cr_assert_eq(creations, 3);
    cr_assert_eq(repeat(51, START + 5300 * MS).members, name);
}

Test(retransmit, a_late_repeat_moves_those_after_it)
{
    update(1, "n", NULL, START);
    repeat(1, START + 1950 * MS);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 2050 * MS);
    repeat(1, START + 2050 * MS);
    cr_assert_eq(retransmit_due_us(&retransmit), START + 2150 * MS);
    repeat(1, START + 2150 * MS);
    cr_assert_eq(retransmit.entities.count, 0);
}

Test(retransmit, a_creation_is_repeated_as_one_until_it_is_whole)
{
    cr_assert_eq(change(EVENT_OBJECT_CREATED, "a", 1, "n", "t", START).members, name | type);
    struct sending sent = update(2, "m", "t", START + 10 * MS);
    cr_assert_eq(sent.msg_type, EVENT_OBJECT_UPDATED);
    cr_assert_eq(sent.members, name);
    sent = repeat(2, START + 200 * MS);
    cr_assert_eq(sent.msg_type, EVENT_OBJECT_CREATED);
    cr_assert_eq(sent.members, name | type);
}

Test(retransmit, a_delete_is_repeated_and_what_is_created_again_is_whole)
{
    update(1, "n", "t", START);
    change(EVENT_OBJECT_DELETED, "a", 2, "n", "t", START + 10 * MS);
    cr_assert_eq(repeat(2, START + 150 * MS).msg_type, EVENT_OBJECT_DELETED);
    struct sending sent = change(EVENT_OBJECT_CREATED, "a", 3, "n", NULL, START + 200 * MS);
    cr_assert_eq(sent.msg_type, EVENT_OBJECT_CREATED);
    cr_assert_eq(sent.members, name);
    sent = repeat(3, START + 600 * MS);
    cr_assert_eq(sent.msg_type, EVENT_OBJECT_CREATED);
    cr_assert_eq(sent.members, name, "nothing of what was deleted");
}

Test(retransmit, actions_of_a_deleted_entity_are_not_repeated)
{
    change(EVENT_OBJECT_ACTION_CREATED, "a", 1, "n", NULL, START);
    change(EVENT_OBJECT_ACTION_CREATED, "b", 2, "n", NULL, START);
    change(EVENT_OBJECT_DELETED, "a", 3, "n", NULL, START + 10 * MS);
    repeat(2, START + 200 * MS);
    repeat(3, START + 200 * MS);
    cr_assert_null(retransmit_next(&retransmit, START + 200 * MS));
}

Test(retransmit, entities_are_repeated_in_the_order_of_their_times)
{
    change(EVENT_OBJECT_UPDATED, "a", 1, "n", NULL, START);
    change(EVENT_OBJECT_UPDATED, "b", 2, "n", NULL, START + 1 * MS);
    repeat(1, START + 200 * MS);
    repeat(2, START + 200 * MS);
    cr_assert_null(retransmit_next(&retransmit, START + 200 * MS));
}

Test(retransmit, beyond_the_limit_a_change_is_whole_and_not_repeated)
{
    char key[24];
    for (uint64_t seq = 1; seq <= RETRANSMIT_ENTITIES; seq++) {
        snprintf(key, sizeof key, "%lu", seq);
        change(EVENT_OBJECT_UPDATED, key, seq, "n", NULL, START);
    }
    cr_assert_eq(update(RETRANSMIT_ENTITIES + 1, "n", "t", START).members, name | type);
    cr_assert_eq(retransmit.entities.count, RETRANSMIT_ENTITIES);
    cr_assert_eq(update(RETRANSMIT_ENTITIES + 2, "m", "t", START).members, name | type);
}

Test(retransmit, an_index_is_told_by_the_first_three_changes_and_then_once_a_second)
{
    static const struct {
        unsigned ms;
        bool has_key;
    } changes[] = {{0, true},    {40, true},    {80, true},   {120, false}, {160, false},
                   {560, false}, {1060, false}, {1080, true}, {1100, false}};
    for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct sending sent = update(7 + i, "n", "t", START + changes[i].ms * MS);
        cr_expect_eq(sent.index, 7);
        cr_expect_eq(sent.has_key, changes[i].has_key, "%u ms", changes[i].ms);
    }
}

Test(retransmit, what_is_created_or_deleted_has_its_key)
{
    for (unsigned i = 0; i < 5; i++)
        update(1 + i, "n", "t", START + i * MS);
    cr_assert_not(update(6, "m", "t", START + 6 * MS).has_key);
    cr_assert(change(EVENT_OBJECT_DELETED, "a", 7, "m", "t", START + 7 * MS).has_key);
    cr_assert(change(EVENT_OBJECT_CREATED, "a", 8, "m", "t", START + 8 * MS).has_key);
}

Test(retransmit, an_entity_that_was_quiet_has_another_index)
{
    cr_assert_eq(update(1, "n", "t", START).index, 1);
    for (unsigned i = 0; i < 3; i++)
        repeat(1, START + 2000 * MS + i * 100 * MS);
    struct sending sent = update(9, "n", "t", START + 3000 * MS);
    cr_assert_eq(sent.index, 9);
    cr_assert(sent.has_key);
}
