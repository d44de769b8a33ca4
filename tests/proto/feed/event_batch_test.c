// event_batch_test.c - events in order, and merged: newest wins.
#include "proto/feed/event_batch.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/object.h"
#include "proto/records/scene.h"

static struct arena arena;
static struct event_batch batch;
static const frozen_t *scene;

static const frozen_t *
frozen(const struct schema *schema, unsigned key_id, const char *key)
{
    struct record *record = record_new(&arena, schema);
    record_set_text(record, key_id, text_from(&arena, key));
    return record_freeze(schema, record);
}

static void
begin(void)
{
    scene = frozen(&scene_schema, SCENE_KEY, "hall");
}

static void
end(void)
{
    event_batch_finish(&batch);
    record_unref(&scene);
    arena_finish(&arena); // the leak check counts the references
}

TestSuite(event_batch, .init = begin, .fini = end);

static enum event_batch_outcome
take(uint64_t seq, uint8_t msg_type, const char *key)
{
    const frozen_t *object = frozen(&object_schema, OBJECT_KEY, key);
    struct event event = {.seq = seq, .scene = scene, .record = object, .msg_type = msg_type};
    enum event_batch_outcome outcome = event_batch_take(&batch, &event);
    record_unref(&object);
    return outcome;
}

static void
expect(uint32_t place, uint64_t seq, uint8_t msg_type)
{
    cr_assert_lt(place, batch.count);
    cr_expect_eq(batch.events[place].seq, seq);
    cr_expect_eq(batch.events[place].msg_type, msg_type);
}

Test(event_batch, events_are_kept_in_order)
{
    for (uint64_t seq = 1; seq <= 100; seq++)
        cr_assert_eq(take(seq, EVENT_OBJECT_UPDATED, "a"), BATCH_ADDED);
    cr_assert_eq(batch.count, 100);
    expect(0, 1, EVENT_OBJECT_UPDATED);
    expect(99, 100, EVENT_OBJECT_UPDATED);
}

Test(event_batch, the_newest_state_of_an_entity_replaces_the_one_that_waits)
{
    event_batch_begin_merging(&batch);
    cr_expect_eq(take(1, EVENT_OBJECT_UPDATED, "a"), BATCH_ADDED);
    cr_expect_eq(take(2, EVENT_OBJECT_UPDATED, "b"), BATCH_ADDED);
    cr_expect_eq(take(3, EVENT_OBJECT_UPDATED, "a"), BATCH_SUPERSEDED);
    cr_assert_eq(batch.count, 2);
    event_batch_sort(&batch);
    expect(0, 2, EVENT_OBJECT_UPDATED);
    expect(1, 3, EVENT_OBJECT_UPDATED);
}

Test(event_batch, an_update_of_a_waiting_create_stays_a_create)
{
    event_batch_begin_merging(&batch);
    take(1, EVENT_OBJECT_CREATED, "a");
    take(2, EVENT_OBJECT_UPDATED, "a");
    cr_assert_eq(batch.count, 1);
    expect(0, 2, EVENT_OBJECT_CREATED);
}

Test(event_batch, a_delete_replaces_a_waiting_create_and_is_sent)
{
    event_batch_begin_merging(&batch);
    take(1, EVENT_OBJECT_CREATED, "a");
    take(2, EVENT_OBJECT_DELETED, "a");
    cr_assert_eq(batch.count, 1);
    expect(0, 2, EVENT_OBJECT_DELETED);
}

Test(event_batch, events_of_actions_merge_with_one_another_only)
{
    event_batch_begin_merging(&batch);
    take(1, EVENT_OBJECT_UPDATED, "a");
    cr_expect_eq(take(2, EVENT_OBJECT_ACTION_UPDATED, "a"), BATCH_ADDED);
    cr_expect_eq(take(3, EVENT_OBJECT_KEYFRAME_UPDATED, "a"), BATCH_SUPERSEDED);
    cr_assert_eq(batch.count, 2);
    expect(0, 1, EVENT_OBJECT_UPDATED);
    expect(1, 3, EVENT_OBJECT_KEYFRAME_UPDATED);
}

Test(event_batch, events_of_scenes_and_locks_are_never_merged)
{
    event_batch_begin_merging(&batch);
    cr_expect_eq(take(1, EVENT_LOCK_GRANTED, "a"), BATCH_ADDED);
    cr_expect_eq(take(2, EVENT_LOCK_GRANTED, "a"), BATCH_ADDED);
    cr_expect_eq(batch.count, 2);
}

Test(event_batch, merging_begins_with_the_events_that_wait)
{
    take(1, EVENT_OBJECT_CREATED, "a");
    take(2, EVENT_OBJECT_UPDATED, "b");
    take(3, EVENT_OBJECT_UPDATED, "a");
    cr_expect_eq(event_batch_begin_merging(&batch), 1);
    cr_assert_eq(batch.count, 2);
    expect(0, 3, EVENT_OBJECT_CREATED);
}

Test(event_batch, a_full_merged_batch_drops_events_of_further_entities)
{
    char key[16];
    event_batch_begin_merging(&batch);
    for (unsigned i = 0; i < BATCH_EVENTS; i++) {
        snprintf(key, sizeof key, "k%u", i);
        cr_assert_eq(take(i + 1, EVENT_OBJECT_UPDATED, key), BATCH_ADDED);
    }
    cr_expect_eq(take(BATCH_EVENTS + 1, EVENT_OBJECT_UPDATED, "other"), BATCH_DROPPED);
    cr_expect_eq(take(BATCH_EVENTS + 2, EVENT_OBJECT_UPDATED, "k7"), BATCH_SUPERSEDED);
    cr_expect_eq(batch.count, BATCH_EVENTS);
}

Test(event_batch, a_cleared_batch_keeps_order_again)
{
    event_batch_begin_merging(&batch);
    take(1, EVENT_OBJECT_UPDATED, "a");
    event_batch_clear(&batch);
    take(2, EVENT_OBJECT_UPDATED, "a");
    take(3, EVENT_OBJECT_UPDATED, "a");
    cr_assert_eq(batch.count, 2);
    expect(1, 3, EVENT_OBJECT_UPDATED);
}
