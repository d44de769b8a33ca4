// udp_updates_slices_test.c - many updates by UDP of large objects are applied in slices, in the
// order in which they came.
#include <criterion/criterion.h>

#include "actors/scene/entity/object_kind.h"
#include "actors/scene/entity/udp_updates.h"
#include "actors/scene/entity_cache.h"
#include "proto/message/partition.h"
#include "proto/records/action.h"
#include "proto/records/object.h"
#include "tests/support/bare_shard.h"

enum { CUBES = 6, KEYFRAMES = 500 };

static struct shard *shard;
static struct arena arena;

static const struct text *keys[CUBES];

// An object of more than 64 KiB, one reference, yours.
static const frozen_t *
large(unsigned number)
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    struct action *action = (struct action *)(void *)record_new(&arena, &object_action_schema);
    struct records *keyframes = records_new(&arena, KEYFRAMES), *actions = records_new(&arena, 1);
    while (keyframes->count < KEYFRAMES) {
        struct record *keyframe = record_new(&arena, &object_keyframe_schema);
        record_set_integer(keyframe, KEYFRAME_FRAME, keyframes->count);
        keyframes->items[keyframes->count++] = keyframe;
    }
    action->keyframes = keyframes;
    record_mark(&action->base, ACTION_KEYFRAMES);
    actions->items[actions->count++] = &action->base;
    object->rare->actions = actions;
    record_mark(&object->base, OBJECT_ACTIONS);
    record_set_text(&object->base, OBJECT_KEY, keys[number]);
    record_set_text(&object->base, OBJECT_SCENE, text_from(&arena, "hall"));
    return record_freeze(&object_schema, &object->base);
}

static void
begin(void)
{
    shard = bare_shard_begin();
    shard->base.turn.slice_us = 1; // each slice is over at once
    struct scene_state *scene = bare_shard_add_scene(shard, "hall", "");
    for (unsigned i = 0; i < CUBES; i++) {
        keys[i] = key_generate(&arena, scene->part);
        const frozen_t *object = large(i);
        cr_assert_gt(record_size(object), 64 << 10);
        entity_cache_put(shard, scene, object);
        record_unref(&object);
    }
}

static void
end(void)
{
    bare_shard_end();
    arena_finish(&arena);
}

TestSuite(udp_updates_slices, .init = begin, .fini = end);

// Datagrams that move each of the objects there.
static struct message *
moves(int x)
{
    struct message *message = message_create(DATAGRAMS);
    message->records = records_new(&message->arena, CUBES);
    for (unsigned i = 0; i < CUBES; i++) {
        struct object *edit =
            (struct object *)(void *)record_new(&message->arena, &object_edit_schema);
        record_set_text(&edit->base, OBJECT_KEY, keys[i]);
        edit->transform[3] = x;
        record_mark(&edit->base, OBJECT_TRANSFORM);
        message->records->items[message->records->count++] = &edit->base;
    }
    return message;
}

// How many of the objects are there.
static unsigned
count_at(int x)
{
    unsigned count = 0;
    for (unsigned i = 0; i < CUBES; i++) {
        const frozen_t *object = entity_cache_find(shard, &object_kind, keys[i]);
        count += ((const struct object *)(const void *)frozen_record(object))->transform[3] == x;
    }
    return count;
}

// Runs a message as the actor does.
static void
run(struct message *message)
{
    if (datagrams_apply(&shard->base, message) != PARKED)
        message_destroy(&message);
}

Test(udp_updates_slices, each_large_object_is_a_slice)
{
    run(moves(1));
    cr_assert_eq(count_at(1), 1);
    for (unsigned turns = 2; turns <= CUBES; turns++) {
        cr_assert_eq(shard->base.paused.count, 1);
        run(message_queue_pop(&shard->base.paused));
        cr_assert_eq(count_at(1), turns);
    }
    cr_assert_eq(shard->base.paused.count, 0);
}

Test(udp_updates_slices, what_comes_later_is_applied_later)
{
    enum { MESSAGES = 5 };
    for (int x = 1; x <= MESSAGES; x++)
        run(moves(x));
    cr_assert_eq(count_at(1), 1, "the others wait behind the first");
    for (unsigned turns = 1; shard->base.paused.count > 0; turns++) {
        cr_assert_eq(shard->base.paused.count, 1);
        run(message_queue_pop(&shard->base.paused));
        cr_assert_leq(turns, MESSAGES * CUBES);
    }
    cr_assert_eq(count_at(MESSAGES), CUBES);
}

Test(udp_updates_slices, no_more_than_a_bound_wait_and_the_newest_do)
{
    for (int x = 1; x <= 1000; x++)
        run(moves(x));
    cr_assert_eq(shard->applied_next.count, 64);
    while (shard->base.paused.count > 0)
        run(message_queue_pop(&shard->base.paused));
    cr_assert_eq(count_at(1000), CUBES);
}
